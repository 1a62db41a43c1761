/** Which fields of a spec a rollback sets (docs/reference/deployments.md#rollback). */
import { specChanges } from '../../provision/pending-diff.ts'
import type { AppSpec } from '../kind.ts'
import { scaledWith } from '../spec/volume.ts'

/** The fields of a deployment record that a rollback reads. */
interface Earlier {
  image: string
  replicas?: number | undefined
}

/** An image service gets the earlier image and number of copies, a git service the number of copies alone. */
export function withEarlier(spec: AppSpec, { image, replicas: copies = spec.replicas }: Earlier): AppSpec {
  const { replicas } = scaledWith(spec.volume, { ...spec, replicas: copies })
  return spec.source.image === undefined ? { ...spec, replicas } : { ...spec, replicas, source: { image: { image } } }
}

/**
 * The fields of the spec that a rollback to the deployment would change; none for a function, which cannot be rolled
 * back.
 */
export function fieldsOfRollback(spec: AppSpec, deployment: Earlier): ReadonlySet<string> {
  if (spec.source.function !== undefined) return new Set()
  return new Set(specChanges(spec, withEarlier(spec, deployment)).map(({ field }) => field))
}
