/** Saving settings of a service, and why it may not be done. */
import { useEdit } from '../data/queries.ts'
import { useMe } from '../data/session.ts'

export function useSettings(app: string) {
  const { canMutate } = useMe()
  const edit = useEdit('apps.update', 'apps.get', { app })
  return { ...edit, why: canMutate ? undefined : 'Only administrators change settings' }
}
