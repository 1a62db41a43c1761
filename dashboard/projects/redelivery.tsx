/** Delivers an event to its webhook again, and how that goes. */
import { Link } from '@tanstack/react-router'
import type { View } from '../../contract/operations.ts'
import { sentenceOf } from '../data/api.ts'
import { useWrite, type Write } from '../data/queries.ts'
import { Notice } from '../ui/notice.tsx'
import { StateWord, type ShownState } from '../ui/state.tsx'
import { Ago } from '../ui/time.tsx'

export type Run = View<'runs.list'>['items'][number]

export const useRedelivery = (): Write<'projects.webhooks-redeliver'> =>
  useWrite('projects.webhooks-redeliver', { touches: ['runs.list'] })

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

export function Outcome({ run: { outcome, phase = '' } }: { run: Run }) {
  const [state, word] = (outcome === 'ended' ? words[phase] : undefined) ?? looks[outcome]
  return <StateWord state={state} word={word} />
}

/** The outcome of the last redelivery that was asked for; the list has its run a moment later. */
export function Redelivered({ write, items }: { write: ReturnType<typeof useRedelivery>; items: readonly Run[] }) {
  if (write.error !== null) return <Notice kind="failed">{sentenceOf(write.error)}</Notice>
  if (write.data === undefined) return null
  const { run: id } = write.data
  const run = items.find((each) => each.id === id)
  return (
    <Notice
      kind="info"
      action={
        <Link to="/runs/$run" params={{ run: id }} className="underline">
          Its run
        </Link>
      }
    >
      {run === undefined ? (
        'It is delivered again.'
      ) : (
        <span className="flex flex-wrap items-center gap-x-2">
          Delivered again, begun <Ago at={run.startedAt} />: <Outcome run={run} />
        </span>
      )}
    </Notice>
  )
}
