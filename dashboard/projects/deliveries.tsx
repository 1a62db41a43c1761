/** The deliveries of the webhooks of a project, newest first: how each went, its tries, and one more. */
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useRead } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Empty, Skeleton } from '../ui/notice.tsx'
import { Panel, Table } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'
import { listOf, textOf, type Spec } from '../ui/spec.ts'
import { Ago, exactTime, Lasting } from '../ui/time.tsx'
import { Outcome, Redelivered, type Run, useRedelivery } from './redelivery.tsx'

/** There is no event of a try. */
const everyMs = 4000
const shownMax = 20

export function Deliveries({ name, spec }: { name: string; spec: Spec }) {
  const webhooks = listOf(spec, 'webhooks') as readonly Spec[]
  const deliveries = useRead('runs.list', { kind: 'webhook', project: name, limit: shownMax }, { everyMs })
  const [tries, setTries] = useState<Run>()
  const { canMutate } = useMe()
  const again = useRedelivery()
  const urlOf = (run: Run): string => {
    const webhook = webhooks.find((each) => textOf(each, 'id') === run.workflow.split('/')[1])
    return webhook === undefined ? 'a webhook that was deleted' : textOf(webhook, 'url')
  }
  return (
    <Panel title="Deliveries" note={`the newest ${shownMax}, for as long as Temporal keeps them`} flush>
      <Shown
        of={deliveries}
        what="the deliveries"
        loading={
          <div className="p-4">
            <Skeleton rows={3} label="Loading the deliveries" />
          </div>
        }
      >
        {({ items }) =>
          items.length === 0 ? (
            <div className="p-4">
              <Empty title="No deliveries">
                The next event that a webhook wants is delivered to it, and shown here.
              </Empty>
            </div>
          ) : (
            <>
              <Table label="Deliveries" head={['Event', 'Of', 'To', 'Outcome', 'Begun', 'Took', '']}>
                {items.map((run) => (
                  <Delivery key={run.id} run={run} to={urlOf(run)}>
                    {canMutate && run.outcome !== 'running' && (
                      <Button
                        small
                        aria-label={`Deliver again ${run.action}, ${run.resource}`}
                        busy={again.isPending && again.variables.run === run.id}
                        onClick={() => again.mutate({ project: name, run: run.id })}
                      >
                        Deliver again
                      </Button>
                    )}
                    <Button small aria-label={`Tries of ${run.action}, ${run.resource}`} onClick={() => setTries(run)}>
                      Tries
                    </Button>
                  </Delivery>
                ))}
              </Table>
              <Redelivered write={again} items={items} />
            </>
          )
        }
      </Shown>
      <Dialog wide open={tries !== undefined} onClose={() => setTries(undefined)} title={tries?.action ?? 'Tries'}>
        {tries !== undefined && <Tries run={tries} />}
      </Dialog>
    </Panel>
  )
}

/** A row; the children are what can be done with it. */
function Delivery({ run, to, children }: { run: Run; to: string; children: ReactNode }) {
  return (
    <tr>
      <td className="whitespace-nowrap">{run.action}</td>
      <td className="min-w-32 wrap-anywhere">{run.resource}</td>
      <td className="max-w-48 truncate" title={to}>
        {to}
      </td>
      <td>
        <Outcome run={run} />
      </td>
      <td className="whitespace-nowrap">
        <Ago at={run.startedAt} />
      </td>
      <td className="whitespace-nowrap">
        <Lasting from={run.startedAt} to={run.endedAt} />
      </td>
      <td>
        <span className="flex justify-end gap-2">{children}</span>
      </td>
    </tr>
  )
}

function Tries({ run }: { run: Run }) {
  const detail = useRead('runs.get', { run: run.id }, { everyMs })
  return (
    <Shown of={detail} what="the tries" gone={<Empty title="No such delivery">Temporal keeps it no longer.</Empty>}>
      {({ steps, failure }) => (
        <div className="flex flex-col gap-3 text-sm">
          <ul aria-label="Tries" className="flex flex-col gap-2">
            {steps
              .filter(({ kind }) => kind === 'did')
              .map(({ at, endedAt, attempts = 1, error }) => (
                <li key={at}>
                  <span className="font-medium">{attempts === 1 ? 'One try' : `${attempts} tries`}</span>
                  <span className="text-muted">
                    , from {exactTime(at)} {endedAt === undefined ? 'on' : `to ${exactTime(endedAt)}`}
                  </span>
                  {error !== undefined && <span className="block text-failed">The last one that failed: {error}</span>}
                </li>
              ))}
          </ul>
          {failure !== undefined && <p className="text-failed">{failure}</p>}
          <Link to="/runs/$run" params={{ run: run.id }} className="text-accent underline">
            Its run, step by step
          </Link>
        </div>
      )}
    </Shown>
  )
}
