/** The history of logs, read through the API from a real Loki; and the answers when the log store does not respond. */
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import type { View } from '../../contract/operations.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { startLoki, type Loki } from '../harness/loki.ts'
import { useStack } from '../harness/stack.ts'
import { startTestApi, type TestApi } from './test-api.ts'

type History = View<'projects.logs-history'>

const project = 'proj-0f0f0f0f'
const recording = join(import.meta.dirname, '../outside/logs/loki.json')

describe('GET /projects/{name}/logs/history', () => {
  let loki: Loki
  let api: TestApi
  let token: string

  before(async function () {
    this.timeout(60_000)
    loki = await startLoki(recording)
    const ago = (seconds: number): bigint => BigInt(loki.nowMs - seconds * 1000) * 1_000_000n
    const { client } = await useStack()
    // The cluster fills in the defaults.
    const spec = { displayName: 'lucid heron', environments: ['production', 'staging'] } as Project['spec']
    await client.create<Project>(resourceTypes.project, {
      apiVersion,
      kind: 'SvcProject',
      metadata: { name: project, namespace: systemNamespace },
      spec,
    })
    api = await startTestApi({
      env: { SVC_LOGS_URL: `${loki.url}/`, SVC_LOGS_TENANT: loki.tenant },
      clock: () => loki.nowMs,
    })
    token = await api.token({ role: 'observer' })
    const of = (environment: string, pod: string) => ({
      namespace: namespaceOf(project, environment),
      pod,
      container: 'app',
    })
    await loki.push(of('production', 'bold-otter-6d4cf56db6-x7k2p'), [
      { at: ago(5400), line: 'level=info msg="long ago"' },
      { at: ago(60), line: 'level=info msg=first' },
      { at: ago(50), line: 'level=error msg="it (broke) at 100%"' },
      { at: ago(40), line: '{"level":40,"msg":"Slow"}' },
    ])
    await loki.push(of('production', 'bold-otter-quick-6d4cf56db6-bbbbb'), [
      { at: ago(45), line: 'of a service whose name begins like the other' },
    ])
    await loki.push(of('staging', 'calm-heron-75bcd99f4-k2x9z'), [{ at: ago(55), line: 'level=info msg=staging' }])
    await loki.push(of('production', 'some-database-0'), [{ at: ago(30), line: 'a database says something' }])
    await loki.push({ namespace: 'proj-0e0e0e0e-production', pod: 'bold-otter-6d4cf56db6-zzzzz' }, [
      { at: ago(20), line: 'of another project' },
    ])
    await loki.push(of('production', 'many-lines-6d4cf56db6-aaaaa'), [
      { at: ago(6000), line: 'level=error msg="before all the noise"' },
      // Ten lines per timestamp: wherever a page ends, lines of that timestamp are on both sides.
      ...Array.from({ length: 703 }, (_, n) => ({
        at: ago(5000) + BigInt(Math.floor(n / 10)),
        line: n % 10 === 3 ? `level=error msg=needle-${n}` : `level=info msg=noise-${n} error-like`,
      })),
      ...Array.from({ length: 60 }, (_, n) => ({ at: ago(4800), line: `level=debug msg=same-moment-${n}` })),
    ])
  })
  after(async () => {
    await api.stop()
    await loki.stop()
  })

  const ask = (query: string, prefix = '/api/v1') =>
    api.ask('GET', `${prefix}/projects/${project}/logs/history${query}`, { token })
  // As the operation's schema says.
  const read = async (query: string): Promise<History> => (await ask(query)).body as History
  const texts = ({ lines }: History): string[] => lines.map(({ line }) => line)

  it('tells the stored lines of services, oldest first, of every environment or of one', async () => {
    for (const prefix of ['/api/v1', '/api']) {
      const { status, body } = await ask('?since=1h', prefix)
      expect(status).to.equal(200)
      expect(body).to.deep.include({
        available: true,
        truncated: false,
        services: ['bold-otter', 'bold-otter-quick', 'calm-heron'],
      })
      expect(texts(body)).to.deep.equal([
        'level=info msg=first',
        'level=info msg=staging',
        'level=error msg="it (broke) at 100%"',
        'of a service whose name begins like the other',
        '{"level":40,"msg":"Slow"}',
      ])
    }
    expect(texts(await read('?environment=staging'))).to.deep.equal(['level=info msg=staging'])
    const [line] = (await read('?environment=staging&since=1h')).lines
    expect(line).to.include({
      service: 'calm-heron',
      pod: 'calm-heron-75bcd99f4-k2x9z',
      container: 'app',
      level: 'info',
      previous: false,
    })
    expect(line?.t).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/)
  })

  it('narrows by service, search, level and time, and tells the newest when there are more', async () => {
    expect(texts(await read('?service=bold-otter'))).to.have.length(4)
    expect(texts(await read('?service=bold-otter&since=10m'))).to.have.length(3)
    expect(texts(await read('?service=bold-otter&q=(BROKE)+at+100%25'))).to.deep.equal([
      'level=error msg="it (broke) at 100%"',
    ])
    expect(texts(await read('?q=%22%7D+%7C%3D+%22'))).to.deep.equal([])
    expect(texts(await read('?service=bold-otter&level=warning'))).to.deep.equal(['{"level":40,"msg":"Slow"}'])
    expect(texts(await read('?service=nobody'))).to.deep.equal([])
    const { lines, truncated } = await read('?service=bold-otter&limit=2')
    expect([lines.map(({ level }) => level), truncated]).to.deep.equal([['error', 'warn'], true])
  })

  it('finds a line behind thousands that only look as if they passed', async () => {
    const found = await read('?service=many-lines&level=error&limit=100')
    expect([found.lines.length, new Set(texts(found)).size, found.truncated]).to.deep.equal([71, 71, false])
    expect(texts(found)[0]).to.equal('level=error msg="before all the noise"')
    const debug = await read('?service=many-lines&level=debug&limit=50')
    expect([new Set(texts(debug)).size, debug.truncated]).to.deep.equal([50, true])
  })

  it('refuses what it cannot read', async () => {
    expect((await ask('?limit=0')).body.error).to.equal('limit must be a whole number from 1 to 1000')
    expect((await ask('?since=8d')).body.error).to.equal(
      'since must be a duration such as 15m, 2h, or 7d, at most 7 days',
    )
    const viewer = await api.token({ role: 'viewer' })
    expect((await api.ask('GET', `/api/v1/projects/${project}/logs/history`, { token: viewer })).status).to.equal(403)
  })

  describe('with a store that is out of order', () => {
    const none = { available: false, lines: [], services: [], truncated: false }
    const stores: [string, RequestListener, string][] = [
      ['is silent', () => undefined, 'the log store did not answer within 5 seconds'],
      [
        'begins to answer and then is silent',
        (_, response) => void response.write('{"data":'),
        'the log store did not answer within 5 seconds',
      ],
      ['fails', (_, response) => void response.writeHead(503).end('busy'), 'the log store answered 503'],
      [
        'is something else',
        (_, response) => void response.end('<html>'),
        'the log store answered with something else than log lines',
      ],
      ['hangs up', (request) => void request.socket.destroy(), 'the log store cannot be reached'],
      [
        'sends somewhere else',
        (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end(),
        'the log store cannot be reached',
      ],
    ]
    for (const [what, answer, message] of stores) {
      it(`says so when it ${what}`, async () => {
        const store = createServer(answer)
        const other = await startTestApi({ env: { SVC_LOGS_URL: await addressOf(store) } })
        try {
          const { status, body } = await other.ask('GET', `/api/v1/projects/${project}/logs/history`, { token })
          expect([status, body]).to.deep.equal([200, { ...none, message }])
        } finally {
          await other.stop()
          store.closeAllConnections()
          store.close()
        }
      })
    }

    it('refuses to start with an address that is none', async () => {
      const error = await startTestApi({ env: { SVC_LOGS_URL: 'loki:3100' } }).then(
        () => undefined,
        (reason: unknown) => reason,
      )
      expect(String(error)).to.equal('Error: SVC_LOGS_URL must be an address that begins with http:// or https://')
    })
  })
})

async function addressOf(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}` // the address of a TCP server has a port
}
