/** Pieces of a page: its heading, panels, tabs that are links, and lists of facts. */
import { Link, useLocation, type LinkProps } from '@tanstack/react-router'
import { useEffect, useRef, type ReactNode } from 'react'
import { defined } from '../../contract/defined.ts'

/** The heading takes the focus when a page is opened, so that a screen reader says where one is. */
export function PageHead({
  title,
  lead,
  badge,
  actions,
}: {
  title: string
  lead?: ReactNode
  badge?: ReactNode
  actions?: ReactNode
}) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${title} · svc`
  }, [title])
  return (
    <header className="flex flex-wrap items-start justify-between gap-x-4 gap-y-3">
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h1 ref={heading} tabIndex={-1} className="text-xl font-semibold tracking-tight wrap-anywhere">
            {title}
          </h1>
          {badge}
        </div>
        {lead !== undefined && <div className="mt-1 text-sm text-muted wrap-anywhere">{lead}</div>}
      </div>
      {actions !== undefined && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </header>
  )
}

export function Panel({
  title,
  note,
  actions,
  children,
  flush = false,
}: {
  title?: string
  note?: ReactNode
  actions?: ReactNode
  children: ReactNode
  flush?: boolean
}) {
  const section = useArrival(title)
  return (
    <section
      ref={section}
      className="scroll-mt-16 rounded-lg border border-line bg-raised"
      {...defined({ 'aria-label': title })}
    >
      {title !== undefined && (
        <div className="flex min-h-11 flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-2">
          <div className="flex min-w-0 flex-wrap items-baseline gap-x-3">
            <h2 className="text-base font-semibold wrap-anywhere">{title}</h2>
            {note !== undefined && <span className="text-xs text-muted">{note}</span>}
          </div>
          {actions}
        </div>
      )}
      <div className={flush ? '' : 'p-4'}>{children}</div>
    </section>
  )
}

/** The title of a panel as the end of an address: `#backup-storage` leads to it, once it is there. */
function useArrival(title = '') {
  const hash = useLocation({ select: (at) => at.hash })
  const section = useRef<HTMLElement>(null)
  const isMeant = hash !== '' && hash === title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
  useEffect(() => {
    const heading = section.current?.querySelector('h2')
    if (!isMeant || heading === null || heading === undefined) return undefined
    section.current?.scrollIntoView({ block: 'start' })
    heading.setAttribute('tabindex', '-1')
    return focusSoon(heading)
  }, [isMeant])
  return section
}

const focusTries = 20
const focusEveryMs = 25

/** A dialog that led here lets nothing behind it keep the focus before it is gone. */
function focusSoon(element: HTMLElement): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  const take = (tries: number) => {
    const isHeld = document.querySelector('[role="dialog"]') !== null
    if (isHeld && tries > 0) timer = setTimeout(() => take(tries - 1), focusEveryMs)
    else element.focus({ preventScroll: true })
  }
  take(focusTries)
  return () => clearTimeout(timer)
}

export interface Tab {
  readonly label: string
  readonly to: LinkProps
  readonly count?: number | undefined
}

export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav aria-label={label} className="-mb-px flex gap-1 overflow-x-auto border-b border-line">
      {tabs.map(({ label: text, to, count }) => (
        <Link
          key={text}
          {...to}
          className="flex h-9 items-center gap-1.5 border-b-2 border-transparent px-3 text-sm whitespace-nowrap text-muted -outline-offset-2 hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
        >
          {text}
          {count !== undefined && count > 0 && (
            <span className="rounded bg-draft-tint px-1.5 text-xs font-medium text-draft tabular-nums">{count}</span>
          )}
        </Link>
      ))}
    </nav>
  )
}

/** Names and values, two columns where they fit. */
export function Facts({ rows }: { rows: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[minmax(6rem,auto)_1fr] gap-x-6 gap-y-2 text-sm">
      {rows.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-muted">{name}</dt>
          <dd className="min-w-0 wrap-anywhere">{value}</dd>
        </div>
      ))}
    </dl>
  )
}

/** The cells of a table; the table itself scrolls sideways where it has to. */
export function Table({ head, children, label }: { head: readonly string[]; children: ReactNode; label: string }) {
  return (
    <div className="relative overflow-x-auto" role="region" aria-label={label} tabIndex={0}>
      <table className="w-full border-collapse text-sm">
        <thead>
          <tr className="border-b border-line text-left text-xs text-muted">
            {head.map((name, at) => (
              <th key={at} scope="col" className="h-8 px-4 font-medium whitespace-nowrap">
                {name === '' ? <span className="sr-only">Actions</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="[&_td]:h-9 [&_td]:px-4 [&_td]:py-1.5 [&_tr]:border-b [&_tr]:border-line [&_tr:last-child]:border-0 [&_tr:hover]:bg-subtle">
          {children}
        </tbody>
      </table>
    </div>
  )
}

/** The cell of a name: a long one breaks rather than push the buttons of its row out of sight. */
export const NameCell = ({ children, className = '' }: { children: ReactNode; className?: string }) => (
  <td className={`min-w-40 wrap-anywhere ${className}`}>{children}</td>
)

/** The mark of settings that take effect without a deploy. */
export const live = <span className="rounded bg-pending-tint px-1.5 py-0.5 text-xs text-pending">applies at once</span>
