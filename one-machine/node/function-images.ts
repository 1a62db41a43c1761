/** Brings the images that run functions into the node's registry, in the background: no other registry has them. */
import { join } from 'node:path'
import { functionImage, functionRuntimes } from '../images/functions.ts'
import { fillRegistry } from '../images/fill.ts'

type Progress = (line: string) => void

/** `registry` is `http://host:port`. A runtime that cannot be had is reported, and does not keep others from theirs. */
export async function makeFunctionImages(nodeDir: string, registry: string, progress: Progress): Promise<void> {
  for (const runtime of functionRuntimes)
    try {
      const image = await functionImage(runtime, progress)
      await fillRegistry(registry, join(nodeDir, 'images-functions.json'), [image], progress)
    } catch (error) {
      progress(`functions on ${runtime} cannot run here: ${error instanceof Error ? error.message : String(error)}`)
    }
}
