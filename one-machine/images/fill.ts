/** Pushes the stack's images into its registry; a repetition costs one request per image. */
import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { z } from 'zod'
import { writeWhole } from '../processes/write-whole.ts'
import type { Image } from './catalogue.ts'
import { writeLayer } from './layer.ts'
import { findTag, pushImage } from './registry.ts'

const notes = z.record(z.string(), z.object({ source: z.string(), digest: z.string() }))
type Notes = z.infer<typeof notes>

/**
 * Pushes every image whose tag is missing, or was made from another program than the present one. `noteFile` records
 * the source of each pushed image, so that unchanged images are neither packed nor read.
 */
export async function fillRegistry(
  registry: string,
  noteFile: string,
  images: readonly Image[],
  progress: (line: string) => void,
): Promise<void> {
  const known: Notes = await readFile(noteFile, 'utf8').then(
    (text) => notes.parse(JSON.parse(text)),
    () => ({}),
  )
  const folder = await mkdtemp(join(tmpdir(), 'svc-image-'))
  try {
    for (const image of images) await fillOne(registry, image, known, folder, progress)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  writeWhole(noteFile, JSON.stringify(known, undefined, 1))
}

async function fillOne(
  registry: string,
  image: Image,
  known: Notes,
  folder: string,
  progress: (line: string) => void,
): Promise<void> {
  const source = await sourceOf(image)
  for (const tag of image.tags) {
    const name = `${image.repository}:${tag}`
    const note = known[name]
    if (note?.source === source && (await findTag(registry, image.repository, tag)) === note.digest) continue
    progress(`making the image ${name}`)
    const file = join(folder, 'layer.tar')
    const layer = await writeLayer(await image.entries(), file)
    known[name] = { source, digest: await pushImage(registry, image.repository, tag, image.config, { ...layer, file }) }
  }
}

/**
 * What an image was made from: its program by path, size and time (reading a hundred megabytes would cost more), its
 * settings.
 */
async function sourceOf(image: Image): Promise<string> {
  const { size, mtimeMs } = await stat(image.program)
  return createHash('sha256')
    .update(JSON.stringify([image.program, size, mtimeMs, image.config]))
    .digest('hex')
}
