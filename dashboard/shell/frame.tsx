/** What is around every page: the way to all others, search, the state of the stream, the user. */
import { Outlet, useRouterState } from '@tanstack/react-router'
import { Menu as MenuIcon, Search } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useSession } from '../data/session.ts'
import { followChanges } from '../data/stream.ts'
import { Dialog } from '../ui/dialog.tsx'
import { keepFocus } from './keep-focus.ts'
import { Mark } from './mark.tsx'
import { Navigation } from './navigation.tsx'
import { Palette } from './palette.tsx'
import { ShortcutList, useShortcuts } from './shortcuts.tsx'
import { LiveMark, StreamLine } from './stream-line.tsx'
import { UserMenu } from './user-menu.tsx'

export function Frame() {
  const [open, setOpen] = useState<'palette' | 'shortcuts' | 'menu'>()
  const session = useSession()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const follows = session.phase === 'in' && !session.lost
  useEffect(() => (follows ? followChanges() : undefined), [follows])
  useShortcuts({ palette: () => setOpen('palette'), shortcuts: () => setOpen('shortcuts') })
  useEffect(() => {
    setOpen(undefined)
    // A panel that the address names takes the focus itself.
    if (location.hash === '') document.querySelector<HTMLElement>('main h1')?.focus({ preventScroll: true })
  }, [path])
  const page = useRef<HTMLElement>(null)
  useEffect(() => (page.current === null ? undefined : keepFocus(page.current)), [])
  const close = () => setOpen(undefined)
  return (
    <div className="flex min-h-screen flex-col">
      <a
        href="#page"
        className="sr-only focus:not-sr-only focus:absolute focus:z-50 focus:m-2 focus:rounded focus:bg-raised focus:p-2"
      >
        Skip to the page
      </a>
      <header className="sticky top-0 z-30 flex h-12 items-center gap-3 border-b border-line bg-page px-4">
        <button
          type="button"
          aria-label="Menu"
          className="-ml-1.5 rounded p-1.5 text-muted hover:bg-hover md:hidden"
          onClick={() => setOpen('menu')}
        >
          <MenuIcon size={18} aria-hidden />
        </button>
        <span className="flex items-center gap-2 font-semibold md:w-49">
          <Mark size={22} /> svc
        </span>
        <button
          type="button"
          onClick={() => setOpen('palette')}
          className="flex h-8 min-w-8 items-center gap-2 rounded border border-edge px-2 text-sm text-muted hover:bg-hover sm:w-72"
        >
          <Search size={14} aria-hidden />
          <span className="flex-1 text-left max-sm:sr-only">Search or do</span>
          <kbd aria-hidden className="hidden rounded border border-line px-1 font-mono text-xs sm:inline">
            Ctrl K
          </kbd>
        </button>
        <div className="ml-auto flex items-center gap-3">
          <LiveMark />
          <UserMenu onShortcuts={() => setOpen('shortcuts')} />
        </div>
      </header>
      <StreamLine />
      <div className="flex flex-1">
        <aside className="sticky top-12 hidden h-[calc(100vh-3rem)] w-56 shrink-0 overflow-y-auto border-r border-line bg-subtle md:block">
          <Navigation />
        </aside>
        <main ref={page} id="page" className="min-w-0 flex-1 px-4 py-6 md:px-8">
          <div className="mx-auto max-w-6xl">
            <Outlet />
          </div>
        </main>
      </div>
      <Palette open={open === 'palette'} onClose={close} />
      <ShortcutList open={open === 'shortcuts'} onClose={close} />
      <Dialog open={open === 'menu'} onClose={close} title="Menu">
        <Navigation />
      </Dialog>
    </div>
  )
}
