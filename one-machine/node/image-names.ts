/**
 * The names by which pods get the images of builds, of the object server and of backups: the publisher's by its digest,
 * or what this machine makes where the publisher's is out of reach (docs/guides/real-node.md#images).
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { transferImage } from '../../kinds/backup-archives/names.ts'
import { objectServerImage } from '../../kinds/object-stores/names.ts'
import { builderImageName, publishedBuilderImage } from '../images/builder.ts'
import { partsOfName } from '../images/catalogue.ts'
import { objectServerImageName, transferImageName } from '../images/engines.ts'
import { findTag } from '../images/registry.ts'

const dockerHub = 'https://registry-1.docker.io/v2/'
const withinMs = 5_000

/** Whether the registry with the publishers' images answers, if only by asking for a login. */
export const usualRegistryAnswers = (url = dockerHub): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(withinMs) }).then(
    () => true,
    () => false,
  )

/** References as pods have them. */
export interface ImageNames {
  readonly builder: string
  readonly objectServer: string
  readonly transfer: string
}

export interface ImagePlaces {
  readonly nodeDir: string
  /** The node's own registry, `http://host:port`. */
  readonly registry: string
  /** Whether the usual registry answers: the same for all that a start decides by it. */
  readonly usualRegistry: Promise<boolean>
}

/** Rejects with one sentence when the node's own registry cannot say what it has. */
export async function chooseImageNames(places: ImagePlaces): Promise<ImageNames> {
  return {
    builder: await choose(places, publishedBuilderImage(), builderImageName),
    objectServer: await choose(places, objectServerImage, objectServerImageName),
    transfer: await choose(places, transferImage, transferImageName),
  }
}

/**
 * What a former start has fetched or made stays, so that a machine which is offline for a while goes on with its
 * images, and the object server never gets an older one for its data.
 */
async function choose({ nodeDir, registry, usualRegistry }: ImagePlaces, published: string, made: string) {
  if (isPulled(nodeDir, published)) return published
  const { repository, tag } = partsOfName(made)
  if ((await findTag(registry, repository, tag)) !== undefined) return made
  return (await usualRegistry) ? published : made
}

/** Whether the node's containerd has the manifest of an image with a digest. */
function isPulled(nodeDir: string, image: string): boolean {
  const [, digest] = image.split('@sha256:')
  return (
    digest !== undefined &&
    existsSync(join(nodeDir, 'containerd/io.containerd.content.v1.content/blobs/sha256', digest))
  )
}
