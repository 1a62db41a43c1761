/** Image layers: the same files give the same bytes, whatever their timestamps. */
import { chmod, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { extract } from 'tar-stream'
import { singleProgram } from '../../../one-machine/images/catalogue.ts'
import { writeLayer } from '../../../one-machine/images/layer.ts'

describe('a layer of an image', () => {
  let folder: string
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'svc-layer-'))))
  afterEach(() => rm(folder, { recursive: true }))

  async function program(content: string, time: number): Promise<string> {
    const path = join(folder, 'program')
    await writeFile(path, content)
    await chmod(path, 0o700)
    await utimes(path, time, time)
    return path
  }
  const layer = async (path: string, file: string): Promise<string> =>
    (await writeLayer(await singleProgram('x', ['1'], path, 'usr/bin/x').entries(), join(folder, file))).digest

  it('has the same digest whenever and from whatever file times it is made', async () => {
    const first = await layer(await program('same', 1000), 'a')
    expect(await layer(await program('same', 2_000_000), 'b')).to.equal(first)
    expect(await layer(await program('else', 1000), 'c')).to.not.equal(first)
  })

  it('tells the digest and size of the file it wrote', async () => {
    const written = await writeLayer(
      [
        { path: 'etc', folder: true },
        { path: 'etc/x', text: 'hello' },
      ],
      join(folder, 'tar'),
    )
    const bytes = await readFile(join(folder, 'tar'))
    expect(written).to.deep.equal({
      digest: `sha256:${createHash('sha256').update(bytes).digest('hex')}`,
      size: bytes.length,
    })
  })

  it('makes its program executable for everybody, in folders that come before it', async () => {
    await layer(await program('same', 1000), 'tar')
    const reader = extract()
    reader.end(await readFile(join(folder, 'tar')))
    const found = new Map<string, number | undefined>()
    for await (const entry of reader) {
      found.set(entry.header.name.replace(/\/$/, ''), entry.header.mode)
      entry.resume()
    }
    expect(found.get('usr/bin/x')).to.equal(0o755)
    const names = [...found.keys()]
    expect(names.indexOf('usr')).to.be.lessThan(names.indexOf('usr/bin'))
    expect(names.indexOf('usr/bin')).to.be.lessThan(names.indexOf('usr/bin/x'))
  })

  it('has each path once, as the first entry of it says', async () => {
    const entries = ['first', 'second'].map((text) => ({ path: 'etc/x', text }))
    await writeLayer(entries, join(folder, 'tar'))
    const reader = extract()
    reader.end(await readFile(join(folder, 'tar')))
    const found: number[] = []
    for await (const entry of reader) {
      found.push(entry.header.size ?? 0)
      entry.resume()
    }
    expect(found).to.deep.equal(['first'.length])
  })

  it('gives a program its capabilities, and what stands after it none', async () => {
    const path = await program('same', 1000)
    const setuid = 1 << 7
    await writeLayer(
      [
        { path: 'first', text: 'x' },
        { path: 'usr/bin/mapper', program: path, capabilities: setuid },
        { path: 'usr/bin/other', program: path },
      ],
      join(folder, 'tar'),
    )
    const bytes = await readFile(join(folder, 'tar'))
    const attribute = Buffer.concat([Buffer.from('SCHILY.xattr.security.capability='), Buffer.from([1, 0, 0, 2, 0x80])])
    expect(bytes.includes(attribute), 'version 2, effective, with the one capability').to.equal(true)
    const reader = extract()
    reader.end(bytes)
    const found: Record<string, boolean> = {}
    for await (const entry of reader) {
      const { pax } = entry.header as { pax?: Record<string, string> | null }
      found[entry.header.name] = pax?.['SCHILY.xattr.security.capability'] !== undefined
      entry.resume()
    }
    expect(found).to.deep.equal({ first: false, 'usr/bin/mapper': true, 'usr/bin/other': false })
  })
})
