/** One layer of a container image: files in, the same bytes out every time. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pack, type Pack } from 'tar-stream'

/** A path in the image (no leading slash) and its content. Everything belongs to root. */
export type LayerEntry =
  | { path: string; folder: true; mode?: number }
  | { path: string; link: string }
  | { path: string; text: string }
  | { path: string; program: string }

/** Digest as `sha256:…`, size in bytes. */
export interface Blob {
  digest: string
  size: number
}

/** Times in a layer are fixed: they would change the digest without changing the image. */
const MADE_AT = new Date('2024-01-01T00:00:00Z')

/** Writes the layer as an uncompressed tar to `file`: compressing would cost more than it saves over loopback. */
export async function writeLayer(entries: readonly LayerEntry[], file: string): Promise<Blob> {
  const hash = createHash('sha256')
  let size = 0
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      size += chunk.length
      done(undefined, chunk)
    },
  })
  const tar = pack()
  await Promise.all([addAll(tar, entries), pipeline(tar, measure, createWriteStream(file))])
  return { digest: `sha256:${hash.digest('hex')}`, size }
}

async function addAll(tar: Pack, entries: readonly LayerEntry[]): Promise<void> {
  try {
    for (const entry of entries) await add(tar, entry)
    tar.finalize()
  } catch (error) {
    tar.destroy(error instanceof Error ? error : new Error(String(error)))
    throw error
  }
}

async function add(tar: Pack, entry: LayerEntry): Promise<void> {
  const common = { name: entry.path, mtime: MADE_AT, uid: 0, gid: 0 }
  if ('folder' in entry) {
    tar.entry({ ...common, type: 'directory', mode: entry.mode ?? 0o755 })
  } else if ('link' in entry) {
    tar.entry({ ...common, type: 'symlink', linkname: entry.link, mode: 0o777 })
  } else if ('text' in entry) {
    tar.entry({ ...common, mode: 0o644 }, entry.text)
  } else {
    const { size } = await stat(entry.program)
    await pipeline(createReadStream(entry.program), tar.entry({ ...common, mode: 0o755, size }))
  }
}
