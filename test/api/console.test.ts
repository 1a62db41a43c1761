/**
 * Terminals in the copies of a service, over real WebSockets and a real kube-apiserver; kwok stands in for the kubelet
 * and runs the commands on this machine. Two things that a kubelet does it does not: it reports no exit codes but 0,
 * and closes no input.
 */
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { openTerminals, terminalFrameBytes } from '../../contract/limits.ts'
import { frameOf, resizeFrame, terminalChannels } from '../../contract/views/terminal-frames.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { openTerminal, refusalAt, terminalAt } from './open-terminal.ts'
import { startPod } from './played-pods.ts'
import { startTestApi, type TestApi } from './test-api.ts'

describe('Terminals of a service', function () {
  this.timeout(60_000)
  let api: TestApi
  let token: string
  let project: string
  let name: string
  let folder: string

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-terminal-'))
    api = await startTestApi()
    token = await api.token({ name: 'terminals', role: 'admin' })
    const post = async (path: string, json: object) => (await api.ask('POST', `/api/v1${path}`, { token, json })).body
    project = (await post('/projects', {})).project
    name = (await post('/apps', { project, environment: 'production', image: 'svc/hello:1' })).name
  })
  after(async () => {
    await api.stop()
    await (await useStack()).client.delete({ type: coreTypes.namespace, name: namespaceOf(project, 'production') })
    await rm(folder, { recursive: true })
  })

  /** The address of a terminal that runs words of a shell. */
  const at = (fields: Record<string, string | readonly string[]> = {}, app = name): string => {
    const query = new URLSearchParams()
    for (const [field, value] of Object.entries(fields)) for (const each of [value].flat()) query.append(field, each)
    return `${api.baseUrl}/api/apps/${app}/console/ws?${query.toString()}`
  }
  const script = (words: string, more: Record<string, string> = {}): string =>
    at({ command: ['sh', '-c', words], tty: 'off', ...more })
  const auditLines = () =>
    api.logLines().filter((line) => line['audit'] === true && line['operation'] === 'apps.console')

  it('GET /apps/{app}/console/ws is refused while no copy runs', async () => {
    expect(await refusalAt(at(), { token })).to.deep.equal([400, 'no copies are running'])
  })

  it('runs a command, and says how it ended on both sides of the log', async () => {
    await startPod(api, { app: name, pod: 'web-1' })
    const terminal = await terminalAt(script('echo one-$((40 + 2)); echo two-$((6 * 7)) >&2; exit 3'), { token })
    expect(await terminal.closed).to.deep.equal([1000, 'the command ended'])
    expect([terminal.stdout(), terminal.stderr()]).to.deep.equal(['one-42\n', 'two-42\n'])
    expect(terminal.ended())
      .to.have.property('failure')
      .that.matches(/exit status 3/)
    await eventually('the end is in the log', () => auditLines().some(({ ended }) => ended !== undefined))
    const [opened, ended] = auditLines().slice(-2)
    const same = { resource: { app: name, pod: 'web-1', container: 'app' }, requestId: opened?.['requestId'] }
    expect(opened).to.deep.include({ ...same, result: 'done', status: 101 })
    expect(opened?.['actor']).to.match(/^token:/)
    expect(ended).to.deep.include({ ...same, actor: opened?.['actor'], ended: 'the command failed' })
    expect(Date.parse(String(ended?.['since']))).to.be.closeTo(Date.now(), 60_000)
    expect(JSON.stringify(api.logLines())).not.to.match(/one-|two-/)
  })

  it('/api/v1 has it, too, by forwarding', async () => {
    const terminal = await terminalAt(script('echo hi').replace('/api/apps', '/api/v1/apps'), { token })
    await terminal.closed
    expect(terminal.stdout()).to.equal('hi\n')
  })

  it('takes what is typed', async () => {
    const terminal = await terminalAt(script('head -c 5'), { token })
    terminal.type('ty')
    terminal.type('ped')
    expect(await terminal.closed).to.deep.equal([1000, 'the command ended'])
    expect([terminal.stdout(), terminal.ended()]).to.deep.equal(['typed', { exitCode: 0 }])
    await eventually('the end is in the log', () => auditLines().at(-1)?.['ended'] === 'exit code 0')
  })

  it('is a shell as large as the caller says, where no command is named', async () => {
    const terminal = await terminalAt(at(), { token })
    terminal.socket.send(resizeFrame(101, 37))
    await eventually('the shell has the size', async () => {
      terminal.type('stty size\n')
      await sleep(100)
      return terminal.stdout().includes('37 101')
    })
    terminal.type('exit\n')
    await terminal.closed
    expect(terminal.ended()).to.deep.equal({ exitCode: 0 })
  })

  it('says why a command could not be run', async () => {
    const terminal = await terminalAt(at({ command: '/no/such/program', tty: 'off' }), { token })
    expect(await terminal.closed).to.deep.equal([1000, 'the command ended'])
    expect(terminal.ended())
      .to.have.property('failure')
      .that.matches(/no such file/)
  })

  it('is refused for another copy, another container, and what is no service', async () => {
    const refusal = (fields: Record<string, string>, app = name) => refusalAt(at(fields, app), { token })
    expect(await refusal({ pod: 'web-2' })).to.deep.equal([400, 'that is no running copy of this service'])
    expect(await refusal({ container: 'side' })).to.deep.equal([400, 'web-1 has no such container'])
    expect(await refusal({ tty: 'perhaps' })).to.deep.equal([400, 'tty must be on or off'])
    expect(await refusal({}, 'no-such-service')).to.deep.equal([404, '404 page not found'])
    const forwarded = at({}, 'no-such-service').replace('/api/apps', '/api/v1/apps')
    expect(await refusalAt(forwarded, { token })).to.deep.equal([404, 'app not found'])
  })

  it('is for admins alone, and a refusal is in the audit log', async () => {
    const places = { scope: 'project', project, environment: 'production' }
    const tooLow = [403, 'viewer role cannot access this']
    expect(await refusalAt(at())).to.deep.equal([401, 'authentication required'])
    expect(await refusalAt(at(), { token: 'svw_a_b' })).to.deep.equal([401, 'invalid or expired API token'])
    expect(await refusalAt(at(), { token: await api.token({ role: 'observer' }) })).to.deep.equal(tooLow)
    expect(await refusalAt(at(), { token: await api.token(places) })).to.deep.equal([
      403,
      'this token cannot access that endpoint',
    ])
    const cookie = await api.signIn('viewer')
    expect(await refusalAt(at(), { headers: { cookie, origin: api.baseUrl } })).to.deep.equal(tooLow)
    await eventually('it is in the log', () => auditLines().at(-1)?.['status'] === 403)
    expect(auditLines().at(-1)).to.deep.include({ result: 'refused', resource: { app: name } })
  })

  it('of a signed-in admin opens from pages of the dashboard alone', async () => {
    const cookie = await api.signIn('admin')
    const refused = [400, 'request origin could not be verified']
    expect(await refusalAt(at(), { headers: { cookie, origin: 'https://evil.example' } })).to.deep.equal(refused)
    expect(await refusalAt(at(), { headers: { cookie, origin: 'null' } })).to.deep.equal(refused)
    expect(await refusalAt(at(), { headers: { cookie } })).to.deep.equal(refused)
    const terminal = await terminalAt(script('echo hi'), { headers: { cookie, origin: api.baseUrl } })
    expect((await terminal.closed)[0]).to.equal(1000)
  })

  it('is a WebSocket of one subprotocol and nothing else', async () => {
    const sentence = 'open a WebSocket here, with the subprotocol v5.channel.k8s.io'
    const plain = await api.ask('GET', `/api/v1/apps/${name}/console/ws`, { token })
    expect([plain.status, plain.body]).to.deep.equal([400, { error: sentence, code: 'invalid_request' }])
    expect(await refusalAt(at(), { token, protocols: [] })).to.deep.equal([400, sentence])
    expect(await refusalAt(at(), { token, protocols: ['v4.channel.k8s.io'] })).to.deep.equal([400, sentence])
    const elsewhere = await refusalAt(`${api.baseUrl}/api/v1/apps/${name}`, { token })
    expect(elsewhere[0], 'a read to which an upgrade is offered').to.equal(200)
  })

  it('closes when its token is revoked, and the others stay', async () => {
    const cookie = await api.signIn('admin')
    const made = (await api.ask('POST', '/api/v1/tokens', { cookie, json: { name: 'short', role: 'admin' } })).body
    const mine = await terminalAt(at({ command: 'cat' }), { token })
    const theirs = await terminalAt(at({ command: 'cat' }), { token: made.token })
    await api.ask('DELETE', `/api/v1/tokens/${made.item.id}`, { cookie })
    expect(await theirs.closed).to.deep.equal([1008, 'the sign-in or the token no longer allows this'])
    mine.type('still here\n')
    await eventually('the other one answers', () => mine.stdout().includes('still here'))
    mine.socket.close()
    await eventually('both ends are in the log', () => {
      const ends = auditLines().map(({ ended }) => ended)
      return ends.includes('the caller went away') && ends.includes('the sign-in or the token no longer allows this')
    })
  })

  it('closes for a message that is too long, is text, or names a channel of the copy', async () => {
    const sent = async (message: Uint8Array | string): Promise<number> => {
      const terminal = await terminalAt(at({ command: 'cat', tty: 'off' }), { token })
      terminal.socket.send(message)
      return (await terminal.closed)[0]
    }
    expect(await sent(frameOf(terminalChannels.stdin, new Uint8Array(terminalFrameBytes)))).to.equal(1009)
    expect(await sent('ls')).to.equal(1003)
    expect(await sent(frameOf(terminalChannels.stdout, Buffer.from('not from the copy')))).to.equal(1003)
    expect(await sent(new Uint8Array())).to.equal(1003)
  })

  it('makes the command wait for a caller who does not read, and loses nothing', async () => {
    const done = join(folder, 'written')
    const bytes = 64 * 1024 * 1024
    // It ends when everything was read: the stream between the API server and a kubelet may lose what a command that
    // has ended wrote to a slow reader.
    const terminal = await terminalAt(script(`head -c ${bytes} /dev/zero; touch ${done}; head -c 1`), { token })
    // What came before this listener is NULs, too.
    let read = terminal.stdout().length
    terminal.socket.removeAllListeners('message').on('message', (data: Buffer) => {
      read += data[0] === terminalChannels.stdout ? data.length - 1 : 0
    })
    terminal.socket.pause()
    const before = process.memoryUsage().arrayBuffers
    await sleep(2000)
    expect(existsSync(done), 'the command has written everything').to.equal(false)
    expect(process.memoryUsage().arrayBuffers - before).to.be.lessThan(bytes / 4)
    terminal.socket.resume()
    await eventually('everything came', () => read === bytes, 30_000)
    terminal.type('x')
    expect(await terminal.closed).to.deep.equal([1000, 'the command ended'])
    expect(read).to.equal(bytes + 1)
  })

  it('makes the caller wait for a command that does not read', async () => {
    const [pieces, size] = [512, 64 * 1024]
    const terminal = await terminalAt(script(`sleep 3; head -c ${pieces * size} | wc -c`), { token })
    const piece = frameOf(terminalChannels.stdin, new Uint8Array(size))
    for (let n = 0; n < pieces; n += 1) terminal.socket.send(piece)
    await sleep(1500)
    // What the caller still has is not in the api.
    expect(terminal.socket.bufferedAmount).to.be.greaterThan((pieces * size) / 2)
    await terminal.closed
    expect(Number(terminal.stdout())).to.equal(pieces * size)
  })

  it('is refused beyond those that a caller may have at once, and a closed one makes way for another', async () => {
    const other = await api.token({ role: 'admin' })
    const opened = await Promise.all(
      Array.from({ length: openTerminals.perCaller }, () => terminalAt(at({ command: 'cat' }), { token: other })),
    )
    const refusal = [429, `a caller may have ${openTerminals.perCaller} terminals open at once`]
    expect(await refusalAt(at({ command: 'cat' }), { token: other })).to.deep.equal(refusal)
    opened[0]?.socket.close()
    await eventually('another may be opened', async () => {
      const terminal = await openTerminal(at({ command: 'true' }), { token: other })
      return !('status' in terminal)
    })
    for (const { socket } of opened) socket.terminate()
  })

  it('closes with the server, also of a caller who does not answer', async () => {
    const own = await startTestApi()
    await eventually('the copy is known', async () => {
      const { body } = await own.ask('GET', `/api/v1/apps/${name}/runtime`, { token })
      return body.pods?.length === 1
    })
    const address = at({ command: 'cat' }).replace(api.baseUrl, own.baseUrl)
    const [polite, silent] = [await terminalAt(address, { token }), await terminalAt(address, { token })]
    silent.socket.pause()
    const startedAt = performance.now()
    await own.stop()
    expect(performance.now() - startedAt).to.be.lessThan(5000)
    expect(await polite.closed).to.deep.equal([1001, 'the server stops, open the terminal again'])
    silent.socket.terminate()
  })
})
