/** The overview: what failed and what is going on, everywhere; the projects; what the cluster has left. */
import { Link, useNavigate } from '@tanstack/react-router'
import { useMemo } from 'react'
import type { View } from '../../contract/operations.ts'
import { sentenceOf } from '../data/api.ts'
import { useRead, useWrite, type Read } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { Button } from '../ui/button.tsx'
import { Empty, Notice, Skeleton } from '../ui/notice.tsx'
import { PageHead, Panel, Table } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'
import { PendingCount, ResourceRow, shownState, titleOf, type Summary } from '../ui/resources.tsx'
import { StateIcon, type ShownState } from '../ui/state.tsx'
import { Capacity } from './capacity.tsx'
import { Warnings } from './warnings.tsx'

export function OverviewPage() {
  const { canMutate } = useMe()
  const navigate = useNavigate()
  const projects = useRead('projects.list', {})
  const { all: resources, failed } = useResources()
  const warnings = useRead('platform.warnings', {})
  // What is above has its height by then, so that nothing moves under a pointer.
  const isLoaded = (resources !== undefined || failed !== undefined) && !warnings.isPending
  const create = useWrite('projects.create', { touches: ['projects.list'] })
  const newProject = (
    <Button
      kind="primary"
      busy={create.isPending}
      why={canMutate ? undefined : 'Only administrators create projects'}
      onClick={() =>
        create.mutate(
          {},
          {
            onSuccess: ({ project }) => void navigate({ to: '/projects/$project/settings', params: { project } }),
          },
        )
      }
    >
      New project
    </Button>
  )
  const places = new Map((projects.data?.items ?? []).map((item) => [item.name, titleOf(item)]))
  return (
    <div className="flex flex-col gap-6">
      <PageHead title="Overview" actions={newProject} />
      {create.isError && <Notice kind="failed">{sentenceOf(create.error)}</Notice>}
      <Warnings />
      {warnings.isLoading ? (
        <Skeleton rows={2} label="Loading the overview" />
      ) : (
        <Busy resources={resources} failed={failed} places={places} />
      )}
      {isLoaded && (
        <>
          <Panel title="Projects" flush>
            <Shown
              of={projects}
              what="the projects"
              loading={
                <Padded>
                  <Skeleton rows={3} label="Loading the projects" />
                </Padded>
              }
            >
              {({ items }) =>
                items.length === 0 ? (
                  <Padded>
                    <Empty title="No projects yet" {...(canMutate ? { action: newProject } : {})}>
                      A project holds environments, and they hold services, databases and buckets.
                    </Empty>
                  </Padded>
                ) : (
                  <ProjectTable projects={items} resources={resources} failed={failed !== undefined} />
                )
              }
            </Shown>
          </Panel>
          <Capacity />
        </>
      )}
    </div>
  )
}

const Padded = ({ children }: { children: React.ReactNode }) => <div className="p-4">{children}</div>

interface AllResources {
  /** The resources of every project; undefined while a list is missing. */
  readonly all: readonly Summary[] | undefined
  /** A list that could not be read. */
  readonly failed: Read<'apps.list'> | undefined
}

function useResources(): AllResources {
  const apps = useRead('apps.list', {})
  const databases = useRead('databases.list', {})
  const logical = useRead('logical-databases.list', {})
  const stores = useRead('object-stores.list', {})
  const failed = [apps, databases, logical, stores].find(({ isError }) => isError)
  const all = useMemo(() => {
    const lists = [apps.data, databases.data, logical.data, stores.data]
    return lists.includes(undefined) ? undefined : lists.flatMap((each) => each?.items ?? [])
  }, [apps.data, databases.data, logical.data, stores.data])
  return { all, failed }
}

const shownMax = 12

interface BusyProps {
  readonly resources: readonly Summary[] | undefined
  readonly failed: AllResources['failed']
  readonly places: ReadonlyMap<string, string>
}

/** What failed comes first, then what is under way. */
function Busy({ resources, failed, places }: BusyProps) {
  const order: ShownState[] = ['failed', 'pending', 'deleting']
  const busy = (resources ?? [])
    .filter(({ state }) => order.includes(state))
    .toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state))
  const failures = busy.filter(({ state }) => state === 'failed').length
  const note = busy.length === 0 ? undefined : `${failures} failed, ${busy.length - failures} under way`
  return (
    <Panel title="Needs a look" note={note} flush>
      {resources === undefined ? (
        <Padded>
          {failed === undefined ? (
            <Skeleton rows={1} label="Loading what goes on" />
          ) : (
            <Shown of={failed} what="what goes on">
              {() => null}
            </Shown>
          )}
        </Padded>
      ) : busy.length === 0 ? (
        <p className="flex items-center gap-2 px-4 py-3 text-sm text-muted">
          <StateIcon state="ready" /> Nothing failed, and nothing is under way.
        </p>
      ) : (
        <Table label="Resources that failed or are under way" head={['State', 'Name', 'Where', 'Why', 'Since']}>
          {busy.slice(0, shownMax).map((item) => (
            <ResourceRow
              key={`${item.kind}/${item.name}`}
              item={item}
              place={
                item.project === '' ? 'cluster' : `${places.get(item.project) ?? item.project} / ${item.environment}`
              }
            />
          ))}
        </Table>
      )}
      {busy.length > shownMax && <p className="px-4 py-2 text-xs text-muted">and {busy.length - shownMax} more</p>}
    </Panel>
  )
}

function ProjectTable({
  projects,
  resources,
  failed,
}: {
  projects: View<'projects.list'>['items']
  resources: readonly Summary[] | undefined
  failed: boolean
}) {
  const byProject = useMemo(() => Map.groupBy(resources ?? [], ({ project }) => project), [resources])
  return (
    <Table label="Projects" head={['Project', 'Environments', 'Resources', 'Pending']}>
      {projects.map((project) => {
        const own = byProject.get(project.name) ?? []
        const environments = project.details['environments']
        const names = Array.isArray(environments) ? environments.join(', ') : ''
        return (
          <tr key={project.name}>
            <td>
              <Link
                to="/projects/$project"
                params={{ project: project.name }}
                search={{}}
                className="inline-flex items-center gap-2 font-medium hover:underline"
              >
                {project.state !== 'ready' && <StateIcon state={project.state} />}
                {titleOf(project)}
              </Link>
            </td>
            <td className="text-muted">{names}</td>
            <td>
              {resources !== undefined ? (
                <Counts items={own} />
              ) : failed ? (
                <span className="text-muted">not known</span>
              ) : (
                <span className="shimmer inline-block h-4 w-24" />
              )}
            </td>
            <td>
              <PendingCount count={own.reduce((sum, { pendingChanges }) => sum + pendingChanges, 0)} />
            </td>
          </tr>
        )
      })}
    </Table>
  )
}

const order: readonly ShownState[] = ['failed', 'pending', 'deleting', 'ready', 'sleeping', 'draft']

function Counts({ items }: { items: readonly Summary[] }) {
  if (items.length === 0) return <span className="text-muted">empty</span>
  return (
    <span className="flex flex-wrap gap-x-3 gap-y-1">
      {order.map((state) => {
        const count = items.filter((item) => shownState(item) === state).length
        return count === 0 ? null : (
          <span key={state} className="inline-flex items-center gap-1 whitespace-nowrap tabular-nums">
            <StateIcon state={state} size={14} /> {count} {state}
          </span>
        )
      })}
    </span>
  )
}
