/** Takes one file out of a zip archive: not every machine has an unzip, and tar reads none. */
import { createReadStream, createWriteStream } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createInflateRaw } from 'node:zlib'

/** Sizes and offsets as of PKWARE's APPNOTE 6.3.10, sections 4.3.16 (end), 4.3.12 (directory) and 4.3.7 (member). */
const end = { signature: 0x06054b50, bytes: 22, commentMax: 0xffff }
const entry = { signature: 0x02014b50, bytes: 46 }
const member = { bytes: 30 }
const stored = 0
const deflated = 8

interface Place {
  readonly method: number
  readonly compressedBytes: number
  /** Offset of the member's own header. */
  readonly offset: number
}

/**
 * Writes the member to `target`. Rejects when the archive has no such member, or keeps it in another way than stored or
 * deflated. The archive's own sums are not asked: its SHA-256 was.
 */
export async function unzip(archive: string, name: string, target: string): Promise<void> {
  const file = await open(archive)
  try {
    const { method, compressedBytes, offset } = await findMember(file, name)
    const header = await read(file, offset, member.bytes)
    const start = offset + member.bytes + header.readUInt16LE(26) + header.readUInt16LE(28)
    const bytes = createReadStream(archive, { start, end: start + compressedBytes - 1 })
    if (method === stored) await pipeline(bytes, createWriteStream(target))
    else if (method === deflated) await pipeline(bytes, createInflateRaw(), createWriteStream(target))
    else throw new Error(`${name} is compressed by method ${method}`)
  } finally {
    await file.close()
  }
}

/** Looks it up in the directory at the archive's end, which alone has the sizes of what was written as a stream. */
async function findMember(file: FileHandle, name: string): Promise<Place> {
  const directory = await readDirectory(file)
  for (let at = 0; directory.length - at >= entry.bytes && directory.readUInt32LE(at) === entry.signature;) {
    const nameBytes = directory.readUInt16LE(at + 28)
    const found = directory.toString('utf8', at + entry.bytes, at + entry.bytes + nameBytes)
    if (found === name)
      return {
        method: directory.readUInt16LE(at + 10),
        compressedBytes: directory.readUInt32LE(at + 20),
        offset: directory.readUInt32LE(at + 42),
      }
    at += entry.bytes + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
  }
  throw new Error(`the archive has no ${name}`)
}

/** The archive may end with a comment. */
async function readDirectory(file: FileHandle): Promise<Buffer> {
  const { size } = await file.stat()
  const from = Math.max(0, size - end.bytes - end.commentMax)
  const tail = await read(file, from, size - from)
  for (let at = tail.length - end.bytes; at >= 0; at -= 1)
    if (tail.readUInt32LE(at) === end.signature)
      return await read(file, tail.readUInt32LE(at + 16), tail.readUInt32LE(at + 12))
  throw new Error('this is no zip archive')
}

async function read(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  if (bytesRead < length) throw new Error('the archive is cut short')
  return buffer
}
