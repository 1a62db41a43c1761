/** The signed-in user: role, theme, sign-out. */
import { Menu } from '@base-ui/react/menu'
import { useNavigate } from '@tanstack/react-router'
import { CircleUser } from 'lucide-react'
import { signOut, useMe } from '../data/session.ts'
import { setTheme, themes, useTheme } from './theme.ts'

const itemClass =
  'flex w-full cursor-default items-center justify-between gap-4 rounded px-2 py-1.5 text-sm outline-none select-none data-highlighted:bg-hover'
const words = { system: 'Theme of the system', light: 'Light', dark: 'Dark' } as const

export function UserMenu({ onShortcuts }: { onShortcuts: () => void }) {
  const { username, role } = useMe()
  const theme = useTheme()
  const navigate = useNavigate()
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className="flex h-8 items-center gap-1.5 rounded px-2 text-sm hover:bg-hover">
        <CircleUser size={16} aria-hidden className="text-muted" />
        <span className="max-w-32 truncate">{username}</span>
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner sideOffset={6} align="end" className="z-40">
          <Menu.Popup className="min-w-52 rounded-lg border border-line bg-raised p-1 shadow-lg">
            <p className="px-2 pt-1 pb-2 text-xs text-muted">
              {username}, {role}
            </p>
            <Menu.RadioGroup value={theme} onValueChange={setTheme}>
              {themes.map((each) => (
                <Menu.RadioItem key={each} value={each} className={itemClass}>
                  {words[each]}
                  <Menu.RadioItemIndicator className="text-accent">✓</Menu.RadioItemIndicator>
                </Menu.RadioItem>
              ))}
            </Menu.RadioGroup>
            <Menu.Separator className="my-1 h-px bg-line" />
            <Menu.Item className={itemClass} onClick={onShortcuts}>
              Keyboard shortcuts <kbd className="font-mono text-xs text-muted">?</kbd>
            </Menu.Item>
            <Menu.Item
              className={itemClass}
              onClick={() => void navigate({ to: '/settings/$section', params: { section: 'account' } })}
            >
              Change password
            </Menu.Item>
            <Menu.Item className={itemClass} onClick={() => void signOut()}>
              Sign out everywhere
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  )
}
