/** Commands that real-api.test.ts leaves out, since they keep files or streams, against a real api all the same. */
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startTestApi, type TestApi, testUsers } from '../api/test-api.ts'
import { openDesk, type Desk, type Run } from './run-svc.ts'

const { admin, viewer } = testUsers

describe('against a real api', function () {
  this.timeout(60_000)
  let api: TestApi
  let desk: Desk
  let folder: string
  before(async () => {
    api = await startTestApi()
    desk = await openDesk()
    folder = await mkdtemp(join(tmpdir(), 'svc-others-'))
  })
  after(async () => {
    await desk.close()
    await api.stop()
    await rm(folder, { recursive: true })
  })
  const file = (name: string): string => join(folder, name)
  const svc = async (args: readonly string[], env: Record<string, string> = {}): Promise<Run> =>
    await desk.svc(['--url', api.baseUrl, ...args], { realTime: true, env })

  describe('svc platform', () => {
    const platform = async (args: readonly string[], who: { username: string; password: string } = admin) =>
      await svc(['platform', ...args, ...(who === admin ? [] : ['--as', who.username])], { SVC_PASSWORD: who.password })
    let recipient: string
    before(async () => {
      const made = await svc(['platform', 'key', file('key'), '--json'])
      expect(made.code, made.err).to.equal(0)
      recipient = (JSON.parse(made.out) as { recipient: string }).recipient
    })

    it('backup writes a file that check opens, in words and as JSON', async () => {
      const [words, json] = [file('words'), file('json')]
      const said = await platform(['backup', words, '--for', recipient])
      expect([said.code, said.out], said.err).to.deep.equal([0, `${said.out.split(' ')[0]}  ${words}\n`])
      const asJson = await platform(['backup', json, '--for', recipient, '--json'])
      expect(JSON.parse(asJson.out)).to.include({ path: json })
      expect((await stat(json)).mode & 0o777).to.equal(0o600)
      const checked = await svc(['platform', 'check', json, '--key', file('key'), '--json'])
      const { id } = JSON.parse(asJson.out) as { id: string }
      expect(JSON.parse(checked.out)).to.include({ id })
    })
    it('backup and restore end with 4 for a viewer and for a wrong password', async () => {
      await platform(['backup', file('whole'), '--for', recipient])
      const commands = [
        ['backup', file('none'), '--for', recipient],
        ['restore', file('whole'), '--key', file('key')],
      ]
      for (const args of commands)
        for (const who of [viewer, { ...admin, password: 'wrong-horse-battery' }]) {
          const { code, out, err } = await platform(args, who)
          expect([code, out], `${args[0]}: ${err}`).to.deep.equal([4, ''])
          expect(err).to.match(/error: [^\n]+\n$/)
        }
      expect(await stat(file('none')).catch(() => undefined)).to.equal(undefined)
    })
    it('backup ends with 1 for what is no public key, and check and restore for what is no backup', async () => {
      await writeFile(file('junk'), 'junk')
      const commands = [
        ['backup', file('none'), '--for', 'age1nobody'],
        ['check', file('junk'), '--key', file('key')],
        ['restore', file('junk'), '--key', file('key')],
      ]
      for (const args of commands) {
        const { code, out, err } = await platform(args)
        expect([code, out], `${args[0]}: ${err}`).to.deep.equal([1, ''])
        expect(err).to.match(/^error: [^\n]+\n$/)
      }
    })
  })

  it('svc mcp ends with 4 for a made-up token, and with 0 when its input ends', async () => {
    const mcp = async (token: string) => await svc(['--token', token, 'mcp'])
    const refused = await mcp('svw_made_up')
    expect([refused.code, refused.out], refused.err).to.deep.equal([4, ''])
    expect(await mcp(await api.token({ name: 'mcp', role: 'viewer' }))).to.include({ code: 0, out: '', err: '' })
  })
})
