/** Keys: Ctrl-K searches, `g` and a letter goes to a page, `?` lists them all. Never in a field that takes text. */
import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { Dialog } from '../ui/dialog.tsx'

const goWithinMs = 1200
const pages = { o: '/', c: '/cluster', r: '/runs', s: '/settings' } as const

const listed: readonly (readonly [keys: string, meaning: string])[] = [
  ['Ctrl K', 'Search for a page, a resource or an action'],
  ['g o', 'Overview'],
  ['g c', 'Cluster'],
  ['g r', 'Runs'],
  ['g s', 'Settings'],
  ['?', 'This list'],
  ['Esc', 'Close what is open'],
]

export function useShortcuts({ palette, shortcuts }: { palette: () => void; shortcuts: () => void }): void {
  const navigate = useNavigate()
  useEffect(() => {
    let goAt = 0
    const onKey = (event: KeyboardEvent) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k') {
        event.preventDefault()
        return palette()
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return undefined
      if (event.key === '?') return shortcuts()
      if (event.key === 'g') {
        goAt = event.timeStamp
        return undefined
      }
      const to = pages[event.key as keyof typeof pages]
      if (to !== undefined && event.timeStamp - goAt < goWithinMs) void navigate({ to })
      goAt = 0
      return undefined
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [navigate, palette, shortcuts])
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable ||
    ['INPUT', 'TEXTAREA', 'SELECT'].includes(target.tagName) ||
    target.closest('[role=dialog]') !== null)

export function ShortcutList({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Keyboard shortcuts">
      <dl className="grid grid-cols-[auto_1fr] gap-x-6 gap-y-2 text-sm">
        {listed.map(([keys, meaning]) => (
          <div key={keys} className="contents">
            <dt>
              <kbd className="rounded border border-line bg-subtle px-1.5 py-0.5 font-mono text-xs">{keys}</kbd>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
