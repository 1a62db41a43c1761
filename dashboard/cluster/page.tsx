/** The cluster: its nodes with their tags, and what each project reserves and uses of it. */
import type { ReactNode } from 'react'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { defined } from '../../contract/defined.ts'
import { useRead } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Meter, bytesText, coresText } from '../ui/meter.tsx'
import { Empty, Skeleton } from '../ui/notice.tsx'
import { readEveryMs } from '../ui/metrics.tsx'
import { PageHead, Panel, Table } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'
import { StateWord } from '../ui/state.tsx'
import { OperatorMetrics } from './operator-metrics.tsx'
import { Placement, type ClusterNode } from './placement.tsx'

export function ClusterPage() {
  const nodes = useRead('nodes.list', {})
  const usage = useRead('usage.get', {})
  return (
    <div className="flex flex-col gap-6">
      <PageHead title="Cluster" lead="Nodes, and who takes what of them" />
      <Nodes />
      <Below reads={[nodes]}>
        <Usage />
      </Below>
      <Below reads={[nodes, usage]}>
        <OperatorMetrics />
      </Below>
    </div>
  )
}

interface BelowProps {
  /** The reads of what stands above. */
  readonly reads: readonly { readonly isLoading: boolean }[]
  readonly children: ReactNode
}

/** Shows the children once what is above has its height, so that nothing moves under a pointer. */
const Below = ({ reads, children }: BelowProps) => (reads.some(({ isLoading }) => isLoading) ? null : children)

const loading = (
  <div className="p-4">
    <Skeleton rows={3} />
  </div>
)

function Nodes() {
  const { canMutate } = useMe()
  const nodes = useRead('nodes.list', {})
  // In the address, so that the dialog of a node can be linked to.
  const { node: placed } = useSearch({ from: '/cluster' })
  const navigate = useNavigate({ from: '/cluster' })
  const setPlaced = (node?: string) => void navigate({ search: defined({ node }), replace: true })
  // As it is by now: a save is followed by what was saved.
  const chosen = canMutate ? nodes.data?.items.find(({ name }) => name === placed) : undefined
  return (
    <Panel title="Nodes" flush>
      <Shown of={nodes} what="the nodes" loading={loading}>
        {({ items }) =>
          items.length === 0 ? (
            <div className="p-4">
              <Empty title="No nodes">Nothing can run until the cluster has one.</Empty>
            </div>
          ) : (
            <Table label="Nodes" head={['Node', 'State', 'Region, zone', 'Tags', 'CPU', 'Memory', '']}>
              {items.map((node) => (
                <tr key={node.name}>
                  <td className="font-medium whitespace-nowrap">{node.name}</td>
                  <td>
                    <StateWord
                      state={node.ready ? (node.schedulable ? 'ready' : 'sleeping') : 'failed'}
                      word={node.ready ? (node.schedulable ? 'Ready' : 'Closed to new pods') : 'Not ready'}
                    />
                  </td>
                  <td className="whitespace-nowrap text-muted">
                    {node.region === '' ? 'none' : node.region}
                    {node.zone !== '' && `, ${node.zone}`}
                  </td>
                  <td>
                    <Tags tags={node.tags} />
                  </td>
                  <td className="tabular-nums">{node.cpu}</td>
                  <td className="tabular-nums">{node.memory}</td>
                  <td className="text-right">
                    {canMutate && (
                      <Button small aria-label={`Place ${node.name}`} onClick={() => setPlaced(node.name)}>
                        Place
                      </Button>
                    )}
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Shown>
      <Dialog open={chosen !== undefined} onClose={() => setPlaced()} title={`Place ${placed ?? ''}`}>
        {chosen !== undefined && <Placement node={chosen} />}
      </Dialog>
    </Panel>
  )
}

function Tags({ tags }: { tags: ClusterNode['tags'] }) {
  if (tags.length === 0) return <span className="text-muted">none</span>
  return (
    <span className="flex flex-wrap gap-1">
      {tags.map(({ name, reserved, compliance }) => (
        <span key={name} className="rounded border border-line px-1.5 text-xs">
          {name}
          {compliance ? ' (compliance)' : reserved ? ' (reserved)' : ''}
        </span>
      ))}
    </span>
  )
}

function Usage() {
  const { data } = useRead('usage.get', {})
  // What is in use now is measured, where anything measures it.
  const usage = useRead('usage.get', {}, data?.actualAvailable === true ? { everyMs: readEveryMs } : {})
  return (
    <Panel title="Usage" flush>
      <Shown of={usage} what="the usage" loading={loading}>
        {({ projects, platform, cpuAllocatableMillis, memoryAllocatableBytes, actualAvailable }) => (
          <>
            <div className="grid gap-x-8 gap-y-4 border-b border-line p-4 sm:grid-cols-2">
              <Meter
                label="CPU reserved"
                value={platform.cpuReservedMillis}
                of={cpuAllocatableMillis}
                text={`${coresText(platform.cpuReservedMillis)} of ${coresText(cpuAllocatableMillis)} cores`}
              />
              <Meter
                label="Memory reserved"
                value={platform.memoryReservedBytes}
                of={memoryAllocatableBytes}
                text={`${bytesText(platform.memoryReservedBytes)} of ${bytesText(memoryAllocatableBytes)}`}
              />
            </div>
            {projects.length === 0 ? (
              <p className="p-4 text-sm text-muted">No project reserves anything.</p>
            ) : (
              <Table label="Usage by project" head={['Project', 'Pods', 'CPU', 'Memory', 'Storage', 'Uses now']}>
                {projects.map((each) => (
                  <tr key={each.project}>
                    <td>
                      <Link
                        to="/projects/$project"
                        params={{ project: each.project }}
                        search={{}}
                        className="font-medium hover:underline"
                      >
                        {each.displayName === '' ? each.project : each.displayName}
                      </Link>
                    </td>
                    <td>{each.pods}</td>
                    <td className="whitespace-nowrap">{coresText(each.cpuReservedMillis)} cores</td>
                    <td className="whitespace-nowrap">{bytesText(each.memoryReservedBytes)}</td>
                    <td className="whitespace-nowrap">{bytesText(each.storageReservedBytes)}</td>
                    <td className="whitespace-nowrap text-muted">
                      {each.cpuUsingMillis === undefined || each.memoryUsingBytes === undefined
                        ? 'not measured'
                        : `${coresText(each.cpuUsingMillis)} cores, ${bytesText(each.memoryUsingBytes)}`}
                    </td>
                  </tr>
                ))}
              </Table>
            )}
            {!actualAvailable && (
              <p className="border-t border-line px-4 py-2 text-xs text-muted">
                What is used now needs a metrics store, which this install does not reach.
              </p>
            )}
          </>
        )}
      </Shown>
    </Panel>
  )
}
