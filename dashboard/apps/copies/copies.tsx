/** The copies of a service: how each is, and how often and why it was started again. */
import { Link } from '@tanstack/react-router'
import type { View } from '../../../contract/operations.ts'
import { useRead } from '../../data/queries.ts'
import { useMe } from '../../data/session.ts'
import { Copyable } from '../../ui/copy.tsx'
import { Skeleton } from '../../ui/notice.tsx'
import { Panel, Table } from '../../ui/panel.tsx'
import { Shown } from '../../ui/read.tsx'
import { StateWord, type ShownState } from '../../ui/state.tsx'
import { Ago } from '../../ui/time.tsx'

type Copy = View<'apps.copies'>['items'][number]

export function Copies({ app }: { app: string }) {
  const { role } = useMe()
  const copies = useRead('apps.copies', { app }, { enabled: role === 'admin' })
  const status = useRead('apps.status', { app })
  const loading = (
    <div className="p-4">
      <Skeleton rows={2} label="Loading the copies" />
    </div>
  )
  return (
    <Panel title="Copies" flush>
      {role !== 'admin' ? (
        <p className="p-4 text-sm text-muted">
          {status.data === undefined ? '' : `${status.data.replicas.ready} of ${status.data.replicas.desired} ready.`}{' '}
          Their names are for administrators and observers.
        </p>
      ) : (
        <Shown of={copies} what="the copies" loading={loading}>
          {({ items }) =>
            items.length === 0 ? (
              <p className="p-4 text-sm text-muted">No copy runs.</p>
            ) : (
              <Table label="Copies" head={['Copy', 'State', 'Restarts']}>
                {items.map((copy) => (
                  <Row key={copy.name} app={app} copy={copy} />
                ))}
              </Table>
            )
          }
        </Shown>
      )}
    </Panel>
  )
}

function stateOf({ phase, ready, message }: Copy): ShownState {
  if (phase === 'Terminating') return 'deleting'
  if (message !== '' || phase === 'Failed') return 'failed'
  return ready ? 'ready' : 'pending'
}

function Row({ app, copy }: { app: string; copy: Copy }) {
  const { name, node, phase, ready, message, startedAt } = copy
  return (
    <tr className="align-top">
      <td className="min-w-36">
        <Copyable whole text={name} what="the name of the pod" />
        <span className="block text-xs text-muted">{node === '' ? 'on no node yet' : `on ${node}`}</span>
      </td>
      <td>
        <StateWord state={stateOf(copy)} word={phase === 'Running' && !ready ? 'Not ready' : phase} />
        <span className="block text-xs text-muted">
          {message === '' ? startedAt !== undefined && <Ago at={startedAt} /> : message}
        </span>
      </td>
      <td className="text-sm">
        <Restarts app={app} copy={copy} />
      </td>
    </tr>
  )
}

function Restarts({ app, copy: { restarts, lastEnd } }: { app: string; copy: Copy }) {
  if (restarts === 0) return <span className="text-muted">never</span>
  return (
    <>
      <span className="tabular-nums">{restarts === 1 ? 'once' : `${restarts} times`}</span>
      {lastEnd !== undefined && (
        <span className="block text-xs text-muted">
          {lastEnd.at !== undefined && <Ago at={lastEnd.at} />}: it {lastEnd.reason}
          {lastEnd.exitCode === undefined ? '' : ` (exit code ${lastEnd.exitCode})`}.{' '}
          <Link to="/services/$app/$tab" params={{ app, tab: 'logs' }} className="text-accent underline">
            Its last lines
          </Link>
        </span>
      )}
    </>
  )
}
