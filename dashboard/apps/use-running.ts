/** Reads what a service runs. */
import type { View } from '../../contract/operations.ts'
import { useRead } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { textOf } from '../ui/spec.ts'
import { imagesOf } from './running.ts'

/** Names in the spec that say what is built, and that fit into a line. */
const sources: readonly string[] = ['source.git.repository', 'source.git.branch', 'source.function.runtime']

/**
 * What runs, where it is known and is not what is saved alone; else nothing. A ready service with nothing pending runs
 * what is saved, so its deployments are not read.
 */
export function useRunning(app: string, resource: View<'apps.get'>['resource']): readonly string[] {
  const { canMutate } = useMe()
  const image = textOf(resource.details, 'image')
  const ofImage = canMutate && image !== ''
  const hasPending = resource.pendingChanges > 0
  const enabled = ofImage && (hasPending || resource.state !== 'ready')
  const copies = useRead('apps.copies', { app }, { enabled })
  const deployments = useRead('apps.deployments', { app }, { enabled })
  const isPending = canMutate && image === '' && hasPending
  const { data: pending } = useRead('apps.pending', { app }, { enabled: isPending })
  if (ofImage && !enabled) return []
  if (!ofImage)
    return (pending?.changes ?? [])
      .filter(({ field }) => sources.includes(field))
      .flatMap(({ before }) => (typeof before === 'string' ? [before] : []))
  const images = imagesOf({ copies: copies.data?.items ?? [], deployments: deployments.data?.items ?? [] })
  return images.every((each) => each === image) ? [] : images
}
