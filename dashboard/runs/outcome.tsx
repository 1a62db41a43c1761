/** How a run ended, in a word and a shape. */
import type { View } from '../../contract/operations.ts'
import { StateWord, type ShownState } from '../ui/state.tsx'

export type Run = View<'runs.list'>['items'][number]

const looks: Readonly<Record<Run['outcome'], readonly [state: ShownState, word: string]>> = {
  running: ['pending', 'Running'],
  ended: ['ready', 'Ended'],
  failed: ['failed', 'Failed'],
  stopped: ['deleting', 'Stopped'],
}

export function Outcome({ outcome }: { outcome: Run['outcome'] }) {
  const [state, word] = looks[outcome]
  return <StateWord state={state} word={word} />
}
