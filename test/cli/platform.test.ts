/**
 * `svc platform`: the key and the file stay whole and on this machine; what is asked of the service is sealed or
 * packed.
 */
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import { Encrypter } from 'age-encryption'
import { expect } from 'chai'
import { openDesk, type Desk } from './run-svc.ts'

const entry = (kind: string, name: string) => JSON.stringify({ object: { apiVersion: 'v1', kind, metadata: { name } } })
const header = (entries: number) => JSON.stringify({ svc: 'platform-backup', format: 1, id: 'ab'.repeat(8), at: '2026-11-24T05:00:00Z', entries }) // prettier-ignore

describe('svc platform', () => {
  let desk: Desk
  let folder: string
  let recipient: string
  beforeEach(async () => {
    desk = await openDesk()
    folder = await mkdtemp(join(tmpdir(), 'svc-platform-'))
    desk.service.on('POST /api/login', (response) => {
      response
        .writeHead(200, { 'set-cookie': 'svc_session=abc; Path=/; HttpOnly', 'content-type': 'application/json' })
        .end('{"ok":true}')
    })
    recipient = (await platform('key', file('key'))).out.trim()
  })
  afterEach(async () => {
    await desk.close()
    await rm(folder, { recursive: true, force: true })
  })

  const file = (name: string): string => join(folder, name)
  const platform = (...args: string[]) => desk.svc(['--url', desk.service.url, 'platform', ...args], { env: { SVC_PASSWORD: 'mine' } }) // prettier-ignore
  const restore = () => platform('restore', file('b'), '--key', file('key'))
  const sealed = async (...lines: string[]): Promise<Uint8Array> => {
    const encrypter = new Encrypter()
    encrypter.addRecipient(recipient)
    return await encrypter.encrypt(gzipSync(lines.join('\n')))
  }
  function answers(bytes: Uint8Array, sha256 = createHash('sha256').update(bytes).digest('hex')): void {
    const json = { id: 'ab'.repeat(8), at: 'now', entries: 1, file: Buffer.from(bytes).toString('base64'), sha256 }
    desk.service.on('POST /platform/backup', { json })
  }

  it('key writes a key that its owner alone may read, and never over one', async () => {
    expect(recipient).to.match(/^age1[0-9a-z]{58}$/)
    expect((await stat(file('key'))).mode & 0o777).to.equal(0o600)
    const before = await readFile(file('key'), 'utf8')
    expect(before)
      .to.include(`# public key: ${recipient}`)
      .and.match(/^AGE-SECRET-KEY-1/m)
    const { code, out, err } = await platform('key', file('key'))
    expect([code, out, await readFile(file('key'), 'utf8')]).to.deep.equal([1, '', before])
    expect(err).to.include('cannot write')
  })

  it('backup writes a whole file or none, and says its checksum', async () => {
    const bytes = await sealed(header(1), entry('SvcApp', 'web'))
    answers(bytes, '0'.repeat(64))
    expect((await platform('backup', file('b'), '--for', recipient)).code).to.equal(1)
    expect(await readdir(folder)).to.deep.equal(['key'])
    answers(bytes)
    const { code, out } = await platform('backup', file('b'), '--for', recipient)
    expect([code, out]).to.deep.equal([0, `${createHash('sha256').update(bytes).digest('hex')}  ${file('b')}\n`])
    expect(await readFile(file('b'))).to.deep.equal(Buffer.from(bytes))
    expect(await readdir(folder)).to.have.members(['key', 'b'])
  })

  it('check counts what the file holds, and finds one that was changed, cut short, or is sealed to another key', async () => {
    const bytes = await sealed(header(2), entry('SvcApp', 'web'), entry('Secret', 'web-secrets'))
    const check = async (content: Uint8Array, key = file('key')) => {
      await writeFile(file('b'), content)
      return await platform('check', file('b'), '--key', key)
    }
    const { code, out } = await check(bytes)
    expect([code, out]).to.deep.equal([0, `backup: ${'ab'.repeat(8)} of 2026-11-24T05:00:00Z\nSvcApp: 1\nSecret: 1\n`])
    const changed = Uint8Array.from(bytes)
    changed[changed.length - 20] = (changed[changed.length - 20] ?? 0) ^ 1
    await platform('key', file('other'))
    for (const [content, key] of [
      [changed, 'key'],
      [bytes.subarray(0, -1), 'key'],
      [bytes, 'other'],
      [await sealed(header(2), entry('SvcApp', 'web')), 'key'],
    ] as const) {
      const found = await check(content, file(key))
      expect([found.code, found.out]).to.deep.equal([1, ''])
      expect(found.err).not.to.include('AGE-SECRET-KEY')
    }
  })

  it('restore sends all entries twice, in order, opened and packed, and says what was refused', async () => {
    const lines = Array.from({ length: 150 }, (_, at) => entry('ConfigMap', `log-${at}`))
    await writeFile(file('b'), await sealed(header(150), ...lines))
    const part = { ok: true, written: 75, there: 0, refused: [], notes: [] }
    desk.service.on('POST /platform/restore', { json: part })
    const { code, out } = await restore()
    expect([code, out]).to.deep.equal([0, `backup ${'ab'.repeat(8)}: 150 objects written, 0 were there\n`])
    const sent = desk.service.asked.filter(({ path }) => path?.includes('restore')).map(({ body }) => body as Record<string, string>) // prettier-ignore
    expect(sent.map(({ step }) => step)).to.deep.equal(['records', 'records', 'start', 'start'])
    const text = ({ entries = '' }: Record<string, string>) => gunzipSync(Buffer.from(entries, 'base64url')).toString()
    expect(sent.slice(0, 2).map(text).join('\n')).to.equal(lines.join('\n'))
    desk.service.on('POST /platform/restore', {
      json: { ...part, refused: [{ kind: 'SvcApp', name: 'web', error: 'too big' }] },
    })
    const refused = await restore()
    expect(refused.code).to.equal(1)
    expect(refused.err).to.include('refused: SvcApp web: too big')
  })

  it('restore that stops says how to go on, unless the same command would be refused again', async () => {
    await writeFile(file('b'), await sealed(header(1), entry('SvcApp', 'web')))
    const answered = async (status: number, error: string, code: string) => {
      desk.service.on('POST /platform/restore', { status, json: { error, code } })
      return await restore()
    }
    const stopped = await answered(500, 'could not complete the request', 'internal_error')
    expect(stopped.code).to.equal(1)
    expect(stopped.err).to.include('the same command goes on with it')
    const refused = await answered(400, 'restore into an empty cluster', 'invalid_request')
    expect([refused.code, refused.err]).to.deep.equal([1, 'error: restore into an empty cluster\n'])
  })
})
