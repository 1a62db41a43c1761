/** Brings what is saved of services, databases and buckets back to what runs. */
import type { ParamsInput, View } from '../../contract/operations.ts'
import { call, type Callable } from './api.ts'
import { readAfter } from './own-writes.ts'
import { queryClient } from './query-client.ts'

type Item = Pick<View<'projects.pending'>['items'][number], 'kind' | 'name'>
type Write = <Id extends Callable>(id: Id, params: ParamsInput<Id>) => Promise<unknown>

function discardBy(write: Write, { kind, name }: Item): Promise<unknown> {
  if (kind === 'app') return write('apps.discard', { app: name })
  return kind === 'database'
    ? write('databases.discard', { db: name })
    : write('object-stores.discard', { store: name })
}

/** What it changed is read again. Rejects with the refusal. */
export const discard = (item: Item): Promise<unknown> =>
  discardBy(async (id, params) => {
    await call(id, params)
    await readAfter(id, params)
  }, item)

/** One after the other, and all that is shown is read again, once; what was discarded before a refusal stays so. */
export async function discardAll(items: readonly Item[]): Promise<void> {
  try {
    for (const item of items) await discardBy(call, item)
  } finally {
    void queryClient.invalidateQueries({ refetchType: 'active' })
  }
}
