/** One layer of a container image: files in, the same bytes out every time. */
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pack, type Pack } from 'tar-stream'
import { capabilityHeader } from './capability.ts'

/** A path in the image (no leading slash) and its content. Everything belongs to root. */
export type LayerEntry =
  | { path: string; folder: true; mode?: number }
  | { path: string; link: string }
  | { path: string; text: string }
  /** `capabilities`: bits of those that the program has, as a file capability. */
  | { path: string; program: string; capabilities?: number }

/** Digest as `sha256:…`, size in bytes. */
export interface Blob {
  digest: string
  size: number
}

/** Times in a layer are fixed: they would change the digest without changing the image. */
const MADE_AT = new Date('2024-01-01T00:00:00Z')

/**
 * Writes the layer as an uncompressed tar to `file`: compressing would cost more than it saves over loopback. A layer
 * may not contain a path twice: the first stays.
 */
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
  await Promise.all([addAll(tar, uniquePaths(entries)), pipeline(tar, measure, createWriteStream(file))])
  return { digest: `sha256:${hash.digest('hex')}`, size }
}

function uniquePaths(entries: readonly LayerEntry[]): LayerEntry[] {
  const seen = new Set<string>()
  return entries.filter(({ path }) => !seen.has(path) && seen.add(path))
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

/** Resolves when the entry is written: what follows may write around tar-stream. */
async function add(tar: Pack, entry: LayerEntry): Promise<void> {
  const common = { name: entry.path, mtime: MADE_AT, uid: 0, gid: 0 }
  if ('folder' in entry) {
    await written((done) => tar.entry({ ...common, type: 'directory', mode: entry.mode ?? 0o755 }, done))
  } else if ('link' in entry) {
    await written((done) => tar.entry({ ...common, type: 'symlink', linkname: entry.link, mode: 0o777 }, done))
  } else if ('text' in entry) {
    await written((done) => tar.entry({ ...common, mode: 0o644 }, entry.text, done))
  } else {
    const { size } = await stat(entry.program)
    if (entry.capabilities !== undefined) tar.push(capabilityHeader(entry.path, entry.capabilities))
    await pipeline(createReadStream(entry.program), tar.entry({ ...common, mode: 0o755, size }))
  }
}

const written = (begin: (done: (error?: Error | null) => void) => void): Promise<void> =>
  new Promise((resolve, reject) => begin((error) => (error ? reject(error) : resolve())))
