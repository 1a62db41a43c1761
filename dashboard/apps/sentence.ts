/** How a service is, in one sentence: the same wherever it is said. */
import type { View } from '../../contract/operations.ts'
import { listOf, textOf, type Spec } from '../ui/spec.ts'

type Status = View<'apps.status'>
type Summary = View<'apps.list'>['items'][number]

const copies = (count: number): string => `${count} ${count === 1 ? 'copy' : 'copies'}`

export function stateSentence({ state, message, replicas, sleeping, scaleToZero }: Status): string {
  const { desired } = replicas
  // While copies of a new release start, those of the one before are still ready.
  const ready = Math.min(replicas.ready, desired)
  const because = message === '' ? '' : `: ${message}`
  const says: Readonly<Record<Exclude<Status['state'], 'ready'>, string>> = {
    draft: 'Saved as a draft. Nothing runs until it is deployed.',
    deleting: `Being deleted${because}.`,
    failed: `The last deploy failed${because}. ${ready} of ${copies(desired)} ${ready === 1 ? 'answers' : 'answer'}.`,
    pending: `Being brought to what was asked${because}. ${ready} of ${copies(desired)} ready.`,
  }
  if (state !== 'ready') return says[state]
  if (sleeping === true)
    return `Sleeping: no copy runs until a request comes (after ${scaleToZero?.idleSeconds ?? 0} s without one).`
  if (desired === 0) return 'Deployed, with no copies: nothing answers until it is scaled up.'
  return `Running: ${ready} of ${copies(desired)} ready${because}.`
}

/** Since when it is so: lists say it of what is under way or failed, the condition Ready of what runs. */
export function stateSince({ state, since }: Summary, status: Spec): string | undefined {
  if (state !== 'ready') return since
  const conditions = listOf(status, 'conditions') as readonly Spec[]
  const ready = conditions.find((condition) => textOf(condition, 'type') === 'Ready')
  return ready === undefined ? undefined : textOf(ready, 'lastTransitionTime') || undefined
}
