/** What a rollback brings back (docs/reference/deployments.md#rollback). */
import { specChanges } from '../provision/pending-diff.ts'
import type { AppSpec } from './kind.ts'
import { scaledWith } from './volume.ts'

/** What a deployment record has of the spec. */
interface Earlier {
  image: string
  replicas?: number | undefined
}

/** An image service gets the earlier image and number of copies, a git service the number of copies alone. */
export function withEarlier(spec: AppSpec, { image, replicas: copies = spec.replicas }: Earlier): AppSpec {
  const { replicas } = scaledWith(spec.volume, { ...spec, replicas: copies })
  return spec.source.image === undefined ? { ...spec, replicas } : { ...spec, replicas, source: { image: { image } } }
}

/** The fields that would differ after it; none of a function, which cannot be rolled back. */
export function fieldsOfRollback(spec: AppSpec, deployment: Earlier): ReadonlySet<string> {
  if (spec.source.function !== undefined) return new Set()
  return new Set(specChanges(spec, withEarlier(spec, deployment)).map(({ field }) => field))
}
