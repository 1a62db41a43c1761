/**
 * Removes the image of a build whose record is being deleted, unless another record names the image
 * (docs/reference/builds.md#old-images).
 */
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { parseImage } from '../../kinds/apps/deploy/image.ts'
import type { App } from '../../kinds/apps/kind.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import { whoNames } from '../../kinds/builds/old-image.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { loginIn } from '../../outside/registry/challenge.ts'
import type { ImageAt } from '../../outside/registry/remove-image.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { destinationOf } from './registry.ts'

/** How long the record of a build waits for a registry that does not answer. */
const waitMaxMs = 10 * 60_000

/** Undefined if there is nothing more to do, else the message of the wait. Harmless to repeat. */
export async function removeImage(needs: ActivityNeeds, build: Build): Promise<string | undefined> {
  const image = imageAt(build)
  if (needs.imageRemover === undefined || image === undefined) return undefined
  const named = await namedBy(needs, build)
  if (named === 'open') return 'waiting for the open build of the service, which may take the image'
  if (named !== 'none') return undefined
  const at = { build: build.metadata.name, image: build.status?.image, digest: image.digest }
  try {
    const removal = await needs.imageRemover.remove(image, await loginFor(needs, build, image))
    needs.log.info({ ...at, removal }, 'the image of a build that is gone was removed from its registry')
    return undefined
  } catch (error) {
    const since = needs.now().getTime() - Date.parse(build.metadata.deletionTimestamp ?? '')
    needs.log.warn({ ...at, error: String(error) }, 'the image of a build could not be removed from its registry')
    return since < waitMaxMs ? 'waiting for the registry, which does not answer' : undefined
  }
}

/** Registry, repository and digest of the build's image; undefined if it has none. */
function imageAt({ status }: Build): ImageAt | undefined {
  const image = status?.image === undefined ? undefined : parseImage(status.image)
  const digest = status?.imageDigest
  if (image === undefined || digest === undefined) return undefined
  return { registry: image.registry, repository: image.repository, digest }
}

/** Which records name the image; reads them live, since a deploy may have begun to use it a moment ago. */
async function namedBy({ client }: ActivityNeeds, build: Build): Promise<'open' | 'named' | 'none'> {
  const query = { namespace: systemNamespace }
  const [builds, apps, deployments] = await Promise.all([
    client.list<Build>(resourceTypes.build, query),
    client.list<App>(resourceTypes.app, query),
    client.list<Deployment>(resourceTypes.deployment, query),
  ])
  return whoNames(build, { builds: builds.items, apps: apps.items, deployments: deployments.items })
}

/** The login for the registry, if the settings still name the repository that the image was pushed to. */
async function loginFor(needs: ActivityNeeds, { spec }: Build, image: ImageAt) {
  const target = await destinationOf(needs, spec)
  if (typeof target === 'string' || target.repository !== `${image.registry}/${image.repository}`) return undefined
  return loginIn(target.login, image.registry)
}
