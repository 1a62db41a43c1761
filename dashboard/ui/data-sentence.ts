/** How a database, a logical database or a bucket is, in one sentence. */
import type { View } from '../../contract/operations.ts'

type Known = Pick<View<'databases.list'>['items'][number], 'state' | 'message' | 'pendingChanges'>

/** `word` is what it is, such as `Database`. */
export function sentenceOfData({ state, message, pendingChanges }: Known, word: string): string {
  if (state === 'ready')
    return pendingChanges > 0 ? `${word} is ready; changes wait for a deploy.` : `${word} is ready.`
  if (state === 'draft')
    return message === '' ? 'Saved as a draft. Nothing is made until it is deployed.' : `Draft: ${message}.`
  const lead = { deleting: 'Being deleted', failed: 'It failed', pending: 'Being set up' }[state]
  // A message may say the state alone.
  return message === '' || message === lead.toLowerCase() ? `${lead}.` : `${lead}: ${message}.`
}
