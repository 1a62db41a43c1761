/** A file out of a zip archive, as an archiver writes it that streams: the sizes are in the directory alone. */
import { expect } from 'chai'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { unzip } from '../../../one-machine/servers/zip.ts'
import { temporaryFolder } from '../temporary.ts'

interface Member {
  readonly name: string
  readonly text: string
  readonly method: number
}

const fields = (...values: [bytes: 2 | 4, value: number][]): Buffer =>
  Buffer.concat(
    values.map(([bytes, value]) => {
      const field = Buffer.alloc(bytes)
      field.writeUIntLE(value, 0, bytes)
      return field
    }),
  )

function archiveOf(members: readonly Member[], comment = ''): Buffer {
  const parts: Buffer[] = []
  const directory: Buffer[] = []
  let at = 0
  for (const { name, text, method } of members) {
    const bytes = method === 8 ? deflateRawSync(text) : Buffer.from(text)
    const extra = Buffer.from('extra')
    const lengths = fields([2, name.length], [2, extra.length])
    const local = Buffer.concat([
      fields([4, 0x04034b50], [2, 20], [2, 8], [2, method], [4, 0], [4, 0], [4, 0], [4, 0]),
      lengths,
      Buffer.from(name),
      extra,
      bytes,
    ])
    directory.push(
      fields([4, 0x02014b50], [2, 20], [2, 20], [2, 8], [2, method], [4, 0], [4, 0], [4, bytes.length]),
      fields([4, text.length], [2, name.length], [2, extra.length], [2, 0], [2, 0], [2, 0], [4, 0], [4, at]),
      Buffer.from(name),
      extra,
    )
    parts.push(local)
    at += local.length
  }
  const list = Buffer.concat(directory)
  const end = fields([4, 0x06054b50], [2, 0], [2, 0], [2, members.length], [2, members.length])
  const place = fields([4, list.length], [4, at], [2, comment.length])
  return Buffer.concat([...parts, list, end, place, Buffer.from(comment)])
}

describe('unzip', () => {
  const folder = temporaryFolder()
  const inside = (name: string): string => join(folder(), name)
  const text = 'a program '.repeat(20_000)
  const members: Member[] = [
    { name: 'LICENSE', text: 'free', method: 0 },
    { name: 'loki-linux-amd64', text, method: 8 },
    { name: 'odd', text: 'x', method: 12 },
  ]
  const take = async (name: string, archive = archiveOf(members)): Promise<string> => {
    writeFileSync(inside('file.zip'), archive)
    await unzip(inside('file.zip'), name, inside('out'))
    return readFileSync(inside('out'), 'utf8')
  }
  const refusal = (...args: Parameters<typeof take>) => take(...args).catch((error: Error) => error.message)

  it('takes out what is stored and what is deflated, also before a comment', async () => {
    expect(await take('loki-linux-amd64')).to.equal(text)
    expect(await take('LICENSE')).to.equal('free')
    expect(await take('LICENSE', archiveOf(members, 'made by hand'))).to.equal('free')
  })

  it('says what is wrong with an archive', async () => {
    expect(await refusal('loki')).to.equal('the archive has no loki')
    expect(await refusal('odd')).to.equal('odd is compressed by method 12')
    expect(await refusal('LICENSE', Buffer.from('<html>no such page</html>'))).to.equal('this is no zip archive')
    expect(await refusal('LICENSE', archiveOf(members).subarray(-60))).to.equal('the archive is cut short')
  })
})
