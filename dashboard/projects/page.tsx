/** A project: its environments as tabs, and what is in the chosen one. */
import { Link, useLocation, useParams, useSearch } from '@tanstack/react-router'
import { Plus, ScrollText, Settings2 } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import type { View } from '../../contract/operations.ts'
import { useRead } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { buttonClass } from '../ui/button.tsx'
import { inputClass } from '../ui/field.tsx'
import { Empty, Notice, Skeleton } from '../ui/notice.tsx'
import { PageHead, Tabs } from '../ui/panel.tsx'
import { titleOf } from '../ui/resources.tsx'
import { StateBadge } from '../ui/state.tsx'
import { ConnectionLines, usedBy } from './connections.tsx'
import { Resources } from './resources.tsx'
import { chosenEnvironment, environmentsOf, ShownProject } from './shown-project.tsx'
import { Usage } from './usage.tsx'

export function ProjectPage() {
  const { project: name } = useParams({ from: '/projects/$project' })
  return <ShownProject name={name}>{(data) => <Project data={data} />}</ShownProject>
}

function Project({ data: { resource } }: { data: View<'projects.get'> }) {
  const { canMutate } = useMe()
  const environments = environmentsOf(resource)
  const wanted = useSearch({ from: '/projects/$project' }).environment
  const environment = chosenEnvironment(resource, wanted)
  const params = { project: resource.name }
  const { stays = [] } = useLocation().state
  return (
    <div className="flex flex-col gap-5">
      <PageHead
        title={titleOf(resource)}
        badge={resource.state === 'ready' ? undefined : <StateBadge state={resource.state} />}
        lead={<span className="font-mono text-xs">{resource.name}</span>}
        actions={
          <>
            {canMutate && (
              <Link to="/projects/$project/logs" params={params} search={{ environment }} className={buttonClass()}>
                <ScrollText size={14} aria-hidden /> Logs
              </Link>
            )}
            <Link to="/projects/$project/settings" params={params} className={buttonClass()}>
              <Settings2 size={14} aria-hidden /> Settings
            </Link>
            {canMutate && (
              <Link
                to="/projects/$project/create"
                params={params}
                search={{ environment }}
                className={buttonClass('primary')}
              >
                <Plus size={14} aria-hidden /> Create
              </Link>
            )}
          </>
        }
      />
      {resource.message !== '' && (
        <Notice kind={resource.state === 'failed' ? 'failed' : 'info'}>{resource.message}</Notice>
      )}
      {stays.length > 0 && (
        <Notice kind="warning">It was abandoned. What may still be in the cloud, and cost: {stays.join('; ')}.</Notice>
      )}
      <Tabs
        label="Environments"
        tabs={environments.map((each, index) => ({
          label: each,
          // The first one is the page without a choice.
          to: {
            to: '/projects/$project',
            params,
            search: index === 0 ? {} : { environment: each },
            activeOptions: { includeSearch: true, exact: true },
          },
        }))}
      />
      <Environment key={environment} project={resource.name} environment={environment} />
    </div>
  )
}

function Environment({ project, environment }: { project: string; environment: string }) {
  const { canMutate } = useMe()
  const place = { project, environment }
  const apps = useRead('apps.list', place)
  const databases = useRead('databases.list', place)
  const logical = useRead('logical-databases.list', place)
  const stores = useRead('object-stores.list', place)
  const { data: connected } = useRead('projects.connections', place, { enabled: canMutate })
  const board = useRef<HTMLDivElement>(null)
  const [filter, setFilter] = useState('')
  const reads = [apps, databases, logical, stores]
  const all = useMemo(
    () => [apps, databases, logical, stores].flatMap(({ data }) => data?.items ?? []),
    [apps.data, databases.data, logical.data, stores.data],
  )
  const uses = useMemo(() => usedBy(connected?.items ?? []), [connected])
  const pending = all.reduce((sum, { pendingChanges }) => sum + pendingChanges, 0)
  // All at once: what is pending stands above, and is known last.
  if (reads.some(({ isLoading }) => isLoading))
    return <Skeleton rows={3} height={120} label={`Loading what is in ${environment}`} />
  const isEmpty = all.length === 0 && reads.every(({ data }) => data !== undefined)
  if (isEmpty)
    return (
      <Empty
        title={`Nothing is in ${environment} yet`}
        action={
          canMutate ? (
            <Link
              to="/projects/$project/create"
              params={{ project }}
              search={{ environment }}
              className={buttonClass('primary')}
            >
              <Plus size={14} aria-hidden /> Create the first resource
            </Link>
          ) : undefined
        }
      >
        Begin with a service from a container image, a database, a bucket, or a template that makes several at once.
      </Empty>
    )
  return (
    <div className="flex flex-col gap-6">
      {pending > 0 && (
        <div className="flex flex-wrap items-center justify-between gap-3 rounded-lg border border-draft/60 bg-draft-tint px-4 py-2 text-sm text-draft">
          <span>
            <strong className="font-semibold tabular-nums">{pending}</strong>{' '}
            {pending === 1 ? 'change is' : 'changes are'} saved and not deployed.
          </span>
          <Link
            to="/projects/$project/changes"
            params={{ project }}
            search={{ environment }}
            className={buttonClass('plain', true)}
          >
            Review
          </Link>
        </div>
      )}
      <input
        type="search"
        aria-label="Filter by name"
        placeholder="Filter by name or state"
        className={`${inputClass} h-8 max-w-xs`}
        value={filter}
        onChange={(event) => setFilter(event.target.value)}
      />
      <div ref={board} className="relative isolate flex flex-col gap-6">
        <Resources title="Services" of={apps} filter={filter} uses={uses} />
        <Resources title="Databases" of={databases} filter={filter} />
        <Resources title="Logical databases" of={logical} filter={filter} />
        <Resources title="Buckets" of={stores} filter={filter} />
        <ConnectionLines board={board} connections={connected?.items ?? []} />
      </div>
      <Usage project={project} environment={environment} />
    </div>
  )
}
