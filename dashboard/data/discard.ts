/** Brings what is saved of services, databases and buckets back to what runs. */
import { useQueryClient } from '@tanstack/react-query'
import type { View } from '../../contract/operations.ts'
import { call } from './api.ts'

type Item = Pick<View<'projects.pending'>['items'][number], 'kind' | 'name'>

const discardOne = ({ kind, name }: Item): Promise<unknown> => {
  if (kind === 'app') return call('apps.discard', { app: name })
  return kind === 'database' ? call('databases.discard', { db: name }) : call('object-stores.discard', { store: name })
}

/** One after the other; what was discarded before a refusal stays so. Rejects with the refusal. */
export function useDiscard(): (items: readonly Item[]) => Promise<void> {
  const client = useQueryClient()
  return async (items) => {
    try {
      for (const item of items) await discardOne(item)
    } finally {
      void client.invalidateQueries({ refetchType: 'active' })
    }
  }
}
