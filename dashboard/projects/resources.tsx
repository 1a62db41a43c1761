/** The resources of one kind in an environment: cards while they can be taken in, rows when they are very many. */
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { Link } from '@tanstack/react-router'
import { memo, useDeferredValue, useMemo, useRef } from 'react'
import type { Read } from '../data/queries.ts'
import { Skeleton } from '../ui/notice.tsx'
import { Shown } from '../ui/read.tsx'
import { kinds, PendingCount, ResourceCard, shownState, titleOf, whatItIs, type Summary } from '../ui/resources.tsx'
import { StateWord } from '../ui/state.tsx'

const cardsMax = 60
const rowHeight = 36

interface Listed {
  title: string
  of: Read<'apps.list'>
  filter: string
  /** What each is connected to, by its name. */
  uses?: ReadonlyMap<string, readonly string[]>
}

export function Resources({ title, of, filter, uses }: Listed) {
  const wanted = useDeferredValue(filter.trim().toLowerCase())
  const keyed = useMemo(
    () =>
      (of.data?.items ?? []).map((item) => ({
        item,
        key: `${item.name} ${item.displayName} ${shownState(item)}`.toLowerCase(),
      })),
    [of.data],
  )
  const found = useMemo(() => keyed.filter(({ key }) => key.includes(wanted)).map(({ item }) => item), [keyed, wanted])
  if (of.data?.items.length === 0) return null
  return (
    <section aria-label={title} className="flex flex-col gap-3">
      <h2 className="text-sm font-semibold">
        {title}{' '}
        <span className="ml-1 font-normal text-muted tabular-nums">{of.data === undefined ? '' : found.length}</span>
      </h2>
      <Shown
        of={of}
        what={`the ${title.toLowerCase()}`}
        loading={<Skeleton rows={1} height={120} label={`Loading the ${title.toLowerCase()}`} />}
      >
        {() =>
          found.length === 0 ? (
            <p className="text-sm text-muted">None has these letters in its name or state.</p>
          ) : found.length <= cardsMax ? (
            <div className="grid grid-cols-1 gap-3 sm:grid-cols-2 lg:grid-cols-3">
              {found.map((item) => (
                <ResourceCard key={item.name} item={item} uses={uses?.get(item.name)} />
              ))}
            </div>
          ) : (
            <Rows items={found} />
          )
        }
      </Shown>
    </section>
  )
}

/** Only what is on the screen is in the page; a fixed height keeps the rest cheap. */
function Rows({ items }: { items: readonly Summary[] }) {
  const list = useRef<HTMLDivElement>(null)
  const rows = useWindowVirtualizer({
    count: items.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: list.current?.offsetTop ?? 0,
    getItemKey: (index) => items[index]?.name ?? index,
  })
  return (
    <div
      ref={list}
      role="list"
      className="relative rounded-lg border border-line bg-raised"
      style={{ height: rows.getTotalSize() }}
    >
      {rows.getVirtualItems().map(({ key, index, start }) => {
        const item = items[index]
        if (item === undefined) return null
        const place = { count: items.length, index, top: start - rows.options.scrollMargin }
        return <Row key={key} item={item} {...place} />
      })}
    </div>
  )
}

interface Placed {
  item: Summary
  /** The number of all rows, and the place of this one, from 0 on. */
  count: number
  index: number
  /** Pixels from the beginning of the list. */
  top: number
}

/** Made again only when what it shows has changed: a scroll moves past dozens of rows in each frame. */
const Row = memo(function Row({ item, count, index, top }: Placed) {
  return (
    <div
      role="listitem"
      aria-setsize={count}
      aria-posinset={index + 1}
      className="absolute inset-x-0 top-0 flex h-9 items-center gap-4 border-b border-line px-4 text-sm hover:bg-subtle"
      style={{ transform: `translateY(${top}px)` }}
    >
      <span className="w-24 shrink-0">
        <StateWord state={shownState(item)} />
      </span>
      <Link
        {...kinds[item.kind].link(item.name)}
        className="min-w-0 truncate font-medium hover:underline sm:w-64 sm:shrink-0"
      >
        {titleOf(item)}
      </Link>
      <span className="hidden min-w-0 flex-1 truncate font-mono text-xs text-muted sm:inline">{whatItIs(item)}</span>
      <PendingCount count={item.pendingChanges} />
    </div>
  )
})
