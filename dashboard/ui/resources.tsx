/** Resources as rows and cards: state, name, one sentence, what is pending; and the page each leads to. */
import { Link, type LinkProps } from '@tanstack/react-router'
import { Box, Cylinder, Database, Folder, HardDrive, type LucideIcon } from 'lucide-react'
import type { View } from '../../contract/operations.ts'
import { StateBadge, StateWord } from './state.tsx'
import { NameCell } from './panel.tsx'
import { Ago, Lasting } from './time.tsx'

export type Summary = View<'apps.list'>['items'][number]

interface KindLook {
  readonly word: string
  readonly icon: LucideIcon
  readonly link: (name: string) => LinkProps
}

export const kinds: Readonly<Record<Summary['kind'], KindLook>> = {
  app: { word: 'Service', icon: Box, link: (app) => ({ to: '/services/$app', params: { app } }) },
  database: { word: 'Database', icon: Database, link: (db) => ({ to: '/databases/$db', params: { db } }) },
  'logical-database': {
    word: 'Logical database',
    icon: Cylinder,
    link: (name) => ({ to: '/logical-databases/$name', params: { name } }),
  },
  'object-store': { word: 'Bucket', icon: HardDrive, link: (store) => ({ to: '/buckets/$store', params: { store } }) },
  project: { word: 'Project', icon: Folder, link: (project) => ({ to: '/projects/$project', params: { project } }) },
}

export const titleOf = ({ name, displayName }: Pick<Summary, 'name' | 'displayName'>): string =>
  displayName === '' ? name : displayName

/** `2 copies of nginx:1.29`, `postgres 17`: what it is, in a few words; less for those who may not see it. */
export function whatItIs({ kind, details }: Summary): string {
  const text = (name: string): string => {
    const value = details[name]
    return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  }
  if (kind === 'app') {
    const source = text('image') || text('repository') || [text('source'), text('runtime')].filter(Boolean).join(' ')
    const copies = details['replicas'] === 1 ? '1 copy' : `${text('replicas')} copies`
    return source === '' ? copies : `${copies} of ${source}`
  }
  if (kind === 'database') return `${text('engine')} ${text('version')}`.trim()
  if (kind === 'logical-database') return text('database') === '' ? '' : `${text('database')} on ${text('server')}`
  const buckets = details['buckets']
  return Array.isArray(buckets) ? buckets.join(', ') : ''
}

const sleeps = ({ details }: Summary): boolean => details['sleeping'] === true

export const shownState = (item: Summary) => (item.state === 'ready' && sleeps(item) ? 'sleeping' : item.state)

export function PendingCount({ count }: { count: number }) {
  if (count === 0) return null
  return (
    <span className="rounded bg-draft-tint px-1.5 py-0.5 text-xs font-medium whitespace-nowrap text-draft tabular-nums">
      {count} pending
    </span>
  )
}

/** One card of an environment; the whole of it is the link. */
export function ResourceCard({ item, uses = [] }: { item: Summary; uses?: readonly string[] | undefined }) {
  const { icon: Icon, link } = kinds[item.kind]
  return (
    <article
      data-resource={item.name}
      className={`relative flex min-h-28 flex-col gap-2 rounded-lg border bg-raised p-4 transition-colors hover:border-edge ${item.pendingChanges > 0 ? 'border-draft/60' : 'border-line'}`}
    >
      <div className="flex items-start justify-between gap-2">
        <div className="flex min-w-0 items-center gap-2">
          <Icon size={16} aria-hidden className="shrink-0 text-muted" />
          <Link {...link(item.name)} className="truncate font-semibold after:absolute after:inset-0 after:rounded-lg">
            {titleOf(item)}
          </Link>
        </div>
        <StateBadge state={shownState(item)} />
      </div>
      <p className="truncate font-mono text-xs text-muted" title={whatItIs(item)}>
        {whatItIs(item)}
      </p>
      {uses.length > 0 && (
        <p className="truncate text-xs text-muted" title={uses.join(', ')}>
          Uses {uses.join(', ')}
        </p>
      )}
      <div className="mt-auto flex items-end justify-between gap-2">
        <p className="line-clamp-2 text-xs text-muted">
          {item.since !== undefined && (
            <>
              <Lasting from={item.since} />
              {item.message !== '' && ': '}
            </>
          )}
          {item.message === '' && item.since === undefined ? shortUrl(item.url) : item.message}
        </p>
        <PendingCount count={item.pendingChanges} />
      </div>
    </article>
  )
}

const shortUrl = (url: string): string => url.replace(/^https?:\/\//, '')

/** A row that says where it is as well. */
export function ResourceRow({ item, place }: { item: Summary; place: string }) {
  const { icon: Icon, link, word } = kinds[item.kind]
  return (
    <tr>
      <td className="w-36">
        <StateWord state={shownState(item)} />
      </td>
      <NameCell>
        <Link {...link(item.name)} className="inline-flex items-center gap-2 font-medium hover:underline">
          <Icon size={14} aria-label={word} className="shrink-0 text-muted" />
          {titleOf(item)}
        </Link>
      </NameCell>
      <td className="min-w-32 text-muted wrap-anywhere">{place}</td>
      <td className="min-w-48 text-muted">{item.message}</td>
      <td className="whitespace-nowrap text-muted">
        <Ago at={item.since} />
      </td>
    </tr>
  )
}
