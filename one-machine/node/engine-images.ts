/**
 * Brings the images of the database engines, of the object server and of builds into the node's registry: on request,
 * or in the background where no other registry has them.
 */
import { join } from 'node:path'
import { builderImage } from '../images/builder.ts'
import type { Image } from '../images/catalogue.ts'
import { engineImage, type EngineName } from '../images/engines.ts'
import { fillRegistry } from '../images/fill.ts'
import { resolveServer } from '../servers/resolve.ts'
import { findCommand } from '../debian/packages.ts'
import type { ImagePlaces } from './image-names.ts'

type MadeImage = EngineName | 'buildkit'

/** Those that are unpacked from packages in seconds, in order of size. */
export const imagesOfPackages: readonly MadeImage[] = ['postgres', 'redis', 'rclone', 'mysql']

/** Those with programs that may have to be compiled follow; the one with parts in C comes last. */
const ALL: readonly MadeImage[] = [...imagesOfPackages, 'minio', 'buildkit', 'rqlite']

type Progress = (line: string) => void

export interface EngineImages {
  /** Resolves when the registry has the images; a repetition resolves at once. Rejects with one sentence. */
  make(engines?: readonly MadeImage[]): Promise<void>
  /** Does nothing where the usual registry with the official images is reachable. Failures are only reported. */
  makeWhereNeeded(report: Progress, engines?: readonly MadeImage[]): Promise<void>
}

/** Images are made one at a time, since they share the record of what was pushed. */
export function createEngineImages(
  { nodeDir, registry, usualRegistry }: ImagePlaces,
  progress: Progress,
): EngineImages {
  const made = new Set<MadeImage>()
  let last: Promise<void> = Promise.resolve()
  const imageOf = async (engine: MadeImage): Promise<Image> => {
    const busybox = findCommand('busybox')
    if (busybox === undefined) throw new Error('the images of database engines and of builds need busybox-static')
    if (engine === 'buildkit') {
      const buildctl = await resolveServer('buildctl', { progress })
      const buildkitd = await resolveServer('buildkitd', { progress })
      const rootlesskit = await resolveServer('rootlesskit', { progress })
      return builderImage({ busybox, buildctl, buildkitd, rootlesskit }, progress)
    }
    const rqlited = engine === 'rqlite' ? await resolveServer('rqlited', { progress }) : ''
    const minio = engine === 'minio' ? await resolveServer('minio', { progress }) : ''
    return engineImage(engine, { busybox, rqlited, minio }, progress)
  }
  const makeOne = async (engine: MadeImage): Promise<void> => {
    if (made.has(engine)) return
    await fillRegistry(registry, join(nodeDir, 'images-engines.json'), [await imageOf(engine)], progress)
    made.add(engine)
  }
  const make = (engines: readonly MadeImage[] = ALL): Promise<void> => {
    const next = last.then(async () => {
      for (const engine of engines) await makeOne(engine)
    })
    last = next.catch(() => undefined) // the caller gets the error
    return next
  }
  return {
    make,
    makeWhereNeeded: async (report, engines = ALL) => {
      if (await usualRegistry) return
      for (const engine of engines)
        await make([engine]).catch((error: unknown) => report(error instanceof Error ? error.message : String(error)))
    },
  }
}
