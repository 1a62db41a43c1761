/** The image of a commit that was built before, so that deploying it again needs no second build. */
import type { Build, BuildStatus } from '../../kinds/builds/kind.ts'
import { newestFirst } from '../../kinds/builds/phase.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { defined } from '../../contract/defined.ts'
import type { ActivityNeeds } from '../context/needs.ts'

type Known = Pick<BuildStatus, 'image' | 'imageDigest' | 'imageBytes'>

/** The last built commit. '' if none is known, for a forced build, and with build variables, which change the image. */
export async function knownRevision(needs: ActivityNeeds, build: Build, destination: string): Promise<string> {
  const isBuilt = build.spec.fresh || hasVariables(build)
  const [newest] = isBuilt ? [] : await sameBuilds(needs, build)
  return newest?.status?.image?.startsWith(`${destination}:`) === true ? (newest.status.sourceRevision ?? '') : ''
}

export async function knownImage(needs: ActivityNeeds, build: Build, revision: string): Promise<Known | undefined> {
  const found = (await sameBuilds(needs, build)).find(({ status }) => status?.sourceRevision === revision)
  const { image, imageDigest, imageBytes } = found?.status ?? {}
  return image === undefined || imageDigest === undefined
    ? undefined
    : { image, imageDigest, ...defined({ imageBytes }) }
}

const hasVariables = ({ spec }: Build): boolean => (spec.variables ?? []).length > 0

/** Succeeded builds of the same service, repository, context and Dockerfile without variables; newest first. */
async function sameBuilds({ client }: ActivityNeeds, { spec }: Build): Promise<Build[]> {
  const { items } = await client.list<Build>(resourceTypes.build, { namespace: systemNamespace })
  return (
    items
      // The image of a build that is being deleted may be removed with it.
      .filter(({ metadata, status }) => status?.phase === 'Succeeded' && metadata.deletionTimestamp === undefined)
      .filter(
        (other) =>
          other.spec.app === spec.app &&
          !hasVariables(other) &&
          other.spec.repository === spec.repository &&
          other.spec.context === spec.context &&
          other.spec.dockerfile === spec.dockerfile,
      )
      .sort(newestFirst)
  )
}
