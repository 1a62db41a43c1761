/** The image of a commit that was built before, so that deploying it again needs no second build. */
import type { Build, BuildStatus } from '../../kinds/builds/kind.ts'
import { newestFirst } from '../../kinds/builds/phase.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { defined } from '../../contract/defined.ts'
import type { ActivityNeeds } from '../context/needs.ts'

type Known = Pick<BuildStatus, 'image' | 'imageDigest' | 'imageBytes'>

/** '' where nothing is known, or everything is to be built: an image is made of its variables, too. */
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

/** Of the same service and made of the same things; newest first. */
async function sameBuilds({ client }: ActivityNeeds, { spec }: Build): Promise<Build[]> {
  const { items } = await client.list<Build>(resourceTypes.build, { namespace: systemNamespace })
  return (
    items
      // The image of one that is being deleted may go with it.
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
