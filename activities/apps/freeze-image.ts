/** Decides once per attempt which image its copies run: by the digest that the tag has now, or by the tag itself. */
import type { V1Secret } from '@kubernetes/client-node'
import type { Sent } from '../../cluster/objects/object.ts'
import { textAt } from '../../cluster/objects/secret-data.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { Attempt } from '../../kinds/apps/deploy/attempt.ts'
import { digestIn, type FrozenImage, namesImage, pinnedTo } from '../../kinds/apps/deploy/image.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { targetNamespace } from '../../kinds/apps/spec/place.ts'
import { loginIn } from '../../outside/registry/challenge.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { defined } from '../../contract/defined.ts'

/** Whether `freezeImage` will send requests to a registry, which may take seconds. */
export function asksRegistry(needs: ActivityNeeds, app: App, spec: AppSpec, attempt: Attempt): boolean {
  return needs.registries !== undefined && decided(needs, app, spec, attempt) === undefined
}

/**
 * The frozen image is written with the status that accepts the attempt, before any copy runs; a repetition returns that
 * one. A retry resolves the tag again if it has no digest yet. Undefined where nothing is frozen: the reference has a
 * digest, or registries are off.
 */
export async function freezeImage(
  needs: ActivityNeeds,
  app: App,
  spec: AppSpec,
  attempt: Attempt,
): Promise<FrozenImage | undefined> {
  const known = decided(needs, app, spec, attempt)
  if (known !== undefined) return known.frozen
  const { image: reference, pullSecret } = namedImage(needs, spec)
  if (needs.registries === undefined)
    // Frozen even so: the runner is a process setting of this worker, and the next worker may have another.
    return spec.source.function && { attempt: attempt.record, image: reference, note: 'no registry is asked' }
  const meaning = await needs.registries.meaningOf(reference, async (registry) => {
    if (pullSecret === undefined) return undefined
    return loginIn(await readLogin(needs, targetNamespace(spec), pullSecret), registry)
  })
  if ('digest' in meaning) return { attempt: attempt.record, image: pinnedTo(reference, meaning.digest) }
  return { attempt: attempt.record, image: reference, note: meaning.unknown }
}

/** The image as known without a registry: from the reference, an earlier pass of this attempt, or an earlier deploy. */
function decided(
  needs: ActivityNeeds,
  app: App,
  spec: AppSpec,
  attempt: Attempt,
): { frozen: FrozenImage | undefined } | undefined {
  const { image: reference } = namedImage(needs, spec)
  if (reference === '') return { frozen: undefined }
  if (digestIn(reference) !== '')
    return { frozen: spec.source.function && { attempt: attempt.record, image: reference } }
  const known = viewOf(app).frozenImage
  const goesOn = app.status?.lastAttempt?.id === attempt.record && app.status.lastAttempt.phase === 'Running'
  if (goesOn || (known !== undefined && namesImage(reference, known.image) && digestIn(known.image) !== ''))
    return { frozen: known }
  if (attempt.image !== undefined && namesImage(reference, attempt.image))
    return { frozen: { attempt: attempt.record, image: attempt.image, note: 'as it ran before' } }
  return undefined
}

/** The image that the spec names; for a function the image of its runner, '' where this worker has none. */
function namedImage({ placement }: ActivityNeeds, { source }: AppSpec): { image: string; pullSecret?: string } {
  if (source.function !== undefined) return { image: placement.runners[source.function.runtime] ?? '' }
  const { image = '', pullSecret } = source.image ?? {}
  return { image, ...defined({ pullSecret }) }
}

/** The `.dockerconfigjson` of a pull Secret; '' if it cannot be read, which the kubelet reports when it pulls. */
async function readLogin({ client, log }: ActivityNeeds, namespace: string, name: string): Promise<string> {
  try {
    const secret = await client.get<Sent<V1Secret>>({ type: coreTypes.secret, namespace, name })
    return textAt(secret, '.dockerconfigjson') ?? ''
  } catch (error) {
    log.info({ namespace, secret: name, error: String(error) }, 'the pull secret of a service could not be read')
    return ''
  }
}
