/** `svc shell` as a process, on a real pseudo-terminal and in pipes, against a real api. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect } from 'chai'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import { startPod } from './played-pods.ts'
import { startTestApi, type TestApi } from './test-api.ts'
import { useStack } from '../harness/stack.ts'
import { onTerminal } from '../cli/on-terminal.ts'

const main = join(import.meta.dirname, '../../cli/main.ts')

describe('svc shell', function () {
  this.timeout(60_000)
  let api: TestApi
  let env: Record<string, string>
  let project: string
  let name: string

  before(async () => {
    api = await startTestApi()
    const token = await api.token({ name: 'shells', role: 'admin' })
    const post = async (path: string, json: object) => (await api.ask('POST', `/api/v1${path}`, { token, json })).body
    project = (await post('/projects', {})).project
    name = (await post('/apps', { project, environment: 'production', image: 'svc/hello:1' })).name
    env = { SVC_URL: api.baseUrl, SVC_TOKEN: token, SVC_CONFIG: '/nowhere/config.json' }
  })
  after(async () => {
    await api.stop()
    await (await useStack()).client.delete({ type: coreTypes.namespace, name: namespaceOf(project, 'production') })
  })

  async function piped(args: readonly string[], input = '') {
    const child = spawn(process.execPath, [main, 'shell', ...args], { env: { PATH: process.env['PATH'], ...env } })
    const said = { out: '', err: '' }
    child.stdout.on('data', (chunk: Buffer) => (said.out += chunk.toString()))
    child.stderr.on('data', (chunk: Buffer) => (said.err += chunk.toString()))
    child.stdin.end(input)
    await once(child, 'close')
    return { code: child.exitCode, ...said }
  }

  it('says why there is no terminal', async () => {
    expect(await piped([name])).to.deep.equal({ code: 1, out: '', err: 'error: no copies are running\n' })
    expect(await piped(['no-such-service'])).to.deep.equal({ code: 3, out: '', err: 'error: app not found\n' })
  })

  it('runs a command, with its two outputs apart', async () => {
    await startPod(api, { app: name, pod: 'web-1' })
    expect(await piped([name, '--', 'sh', '-c', 'echo hi; echo oh >&2'])).to.deep.equal({
      code: 0,
      out: 'hi\n',
      err: 'oh\n',
    })
    expect((await piped([name, '--copy', 'web-2', '--', 'true'])).err).to.equal(
      'error: that is no running copy of this service\n',
    )
  })

  it('hands over what comes in a pipe', async () => {
    const input = 'x'.repeat(1_000_000)
    const { code, out } = await piped([name, '--', 'sh', '-c', `head -c ${input.length} | wc -c`], input)
    expect([code, Number(out)]).to.deep.equal([0, input.length])
  })

  it('fails as the command does', async () => {
    const { code, err } = await piped([name, '--', '/no/such/program'])
    expect([code, err]).to.satisfy(([exit, text]: [number, string]) => exit === 1 && text.includes('no such file'))
  })

  it('is a terminal as large as the one that it runs in, and leaves Ctrl-C to it', async () => {
    const raw = 'stty raw -echo; echo ready; head -c 1 | od -An -tx1; stty -raw echo'
    const terminal = onTerminal(['shell', name], { ...env, HOME: '/' })
    terminal.type('stty size\r')
    await terminal.shows('20 100')
    // The words of the command are on the screen, too.
    terminal.type(`${raw.replace('ready', '$((6 * 7))-ready')}\r`)
    await terminal.shows('42-ready')
    terminal.type('\u0003')
    await terminal.shows(' 03')
    terminal.type('exit\r')
    expect(await terminal.ended()).to.equal(0)
  })

  it('leaves with a sentence when its token is revoked', async () => {
    const cookie = await api.signIn('admin')
    const made = (await api.ask('POST', '/api/v1/tokens', { cookie, json: { name: 'short', role: 'admin' } })).body
    const terminal = onTerminal(['shell', name], { ...env, SVC_TOKEN: made.token })
    terminal.type('echo $((6 * 7))-open\r')
    await terminal.shows('42-open')
    await api.ask('DELETE', `/api/v1/tokens/${made.item.id}`, { cookie })
    await terminal.shows('error: the sign-in or the token no longer allows this')
    expect(await terminal.ended()).to.equal(4)
  })
})
