/** The deliveries of the webhooks of a project, newest first: how each went, and its tries. */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { View } from '../../contract/operations.ts'
import { useRead } from '../data/queries.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Empty, Skeleton } from '../ui/notice.tsx'
import { Panel, Table } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'
import { listOf, textOf, type Spec } from '../ui/spec.ts'
import { StateWord, type ShownState } from '../ui/state.tsx'
import { Ago, exactTime, Lasting } from '../ui/time.tsx'

type Run = View<'runs.list'>['items'][number]

/** There is no event of a try. */
const everyMs = 4000
const shownMax = 20

export function Deliveries({ name, spec }: { name: string; spec: Spec }) {
  const webhooks = listOf(spec, 'webhooks') as readonly Spec[]
  const deliveries = useRead('runs.list', { kind: 'webhook', project: name, limit: shownMax }, { everyMs })
  const [tries, setTries] = useState<Run>()
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
            <Table label="Deliveries" head={['Event', 'Of', 'To', 'Outcome', 'Begun', 'Took', '']}>
              {items.map((run) => (
                <tr key={run.id}>
                  <td className="whitespace-nowrap">{run.action}</td>
                  <td className="whitespace-nowrap">{run.resource}</td>
                  <td className="max-w-48 truncate" title={urlOf(run)}>
                    {urlOf(run)}
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
                  <td className="text-right">
                    <Button small aria-label={`Tries of ${run.action}, ${run.resource}`} onClick={() => setTries(run)}>
                      Tries
                    </Button>
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Shown>
      <Dialog wide open={tries !== undefined} onClose={() => setTries(undefined)} title={tries?.action ?? 'Tries'}>
        {tries !== undefined && <Tries run={tries} />}
      </Dialog>
    </Panel>
  )
}

const looks: Readonly<Record<Run['outcome'], readonly [state: ShownState, word: string]>> = {
  running: ['pending', 'Being tried'],
  ended: ['ready', 'Ended'],
  failed: ['failed', 'Given up'],
  stopped: ['deleting', 'Stopped'],
}
/** `ended` is also said of one that the webhook did not want any more. */
const words: Readonly<Record<string, readonly [state: ShownState, word: string]>> = {
  Delivered: ['ready', 'Delivered'],
  Withdrawn: ['draft', 'Not wanted any more'],
}

function Outcome({ run: { outcome, phase = '' } }: { run: Run }) {
  const [state, word] = (outcome === 'ended' ? words[phase] : undefined) ?? looks[outcome]
  return <StateWord state={state} word={word} />
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
