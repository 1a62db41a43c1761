/** The resource metrics API as the API server asks for it, over TLS with the certificates of a node. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { Agent, request } from 'undici'
import { FRONT_PROXY, USAGE_SERVICE, makeCertificates } from '../../../one-machine/node/certificates.ts'
import { networkOf } from '../../../one-machine/node/network.ts'
import { createUseReader } from '../../../one-machine/usage/readings.ts'
import { startUsageServer, type UsageSource } from '../../../one-machine/usage/server.ts'

const root = '/apis/metrics.k8s.io/v1beta1'
const pods = [
  { namespace: 'shop', name: 'web-1', labels: { app: 'web' } },
  { namespace: 'shop', name: 'web-2', labels: { app: 'web' } },
  { namespace: 'other', name: 'web-3', labels: { app: 'web' } },
]
const counted = (core: number, at: number) => {
  const of = (labels: string, name: string) =>
    `${name}_cpu_usage_seconds_total${labels} ${core} ${at}\n${name}_memory_working_set_bytes${labels} 104857600 ${at}\n`
  // Of web-2 there is nothing yet.
  return ['shop/web-1', 'other/web-3']
    .map((key) => key.split('/'))
    .map(([namespace, pod]) => of(`{container="app",namespace="${namespace}",pod="${pod}"}`, 'container'))
    .concat(of('', 'node'))
    .join('')
}

describe('the resource metrics API of a node', function () {
  this.timeout(60_000)
  let folder: string
  const asked: unknown[] = []
  const agents: Agent[] = []
  let trouble: string | undefined
  let server: Awaited<ReturnType<typeof startUsageServer>>
  const pki = (name: string): Buffer => readFileSync(join(folder, 'pki', name))

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-usage-'))
    await makeCertificates(folder, networkOf('svc-test', 70))
  })
  after(() => rmSync(folder, { recursive: true, force: true }))
  beforeEach(async () => {
    const use = createUseReader()
    use.note(counted(100, 1_764_000_000_000))
    use.note(counted(105, 1_764_000_010_000))
    asked.length = 0
    trouble = undefined
    const source: UsageSource = {
      use,
      node: { name: 'node-1' },
      trouble: () => trouble,
      async pods(which) {
        asked.push(which)
        return pods.filter(
          ({ namespace, name }) =>
            (which.namespace ?? namespace) === namespace && (which.name === undefined || which.name === name),
        )
      },
    }
    const tls = { ca: pki('ca.crt'), cert: pki('metrics.crt'), key: pki('metrics.key') }
    server = await startUsageServer({ source, host: '127.0.0.1', tls, caller: FRONT_PROXY })
  })
  afterEach(async () => {
    await server.stop()
    await Promise.all(agents.splice(0).map((agent) => agent.destroy()))
  })

  /** With the name that the API server expects, and the login of `who`. */
  const ask = async (path: string, who: string | undefined = FRONT_PROXY) => {
    const login = who === '' ? {} : { cert: pki(`${who}.crt`), key: pki(`${who}.key`) }
    const servername = `${USAGE_SERVICE}.kube-system.svc`
    const agent = new Agent({ connect: { ca: pki('ca.crt'), servername, ...login } })
    agents.push(agent)
    const { statusCode, body } = await request(`https://127.0.0.1:${server.port}${path}`, { dispatcher: agent })
    return { code: statusCode, body: (await body.json()) as Record<string, unknown> }
  }

  it('answers the pods that the selectors choose, without those of which nothing is known', async () => {
    const selector = encodeURIComponent('app=web')
    const { code, body } = await ask(`${root}/namespaces/shop/pods?labelSelector=${selector}`)
    expect([code, body]).to.deep.equal([
      200,
      {
        kind: 'PodMetricsList',
        apiVersion: 'metrics.k8s.io/v1beta1',
        metadata: {},
        items: [
          {
            kind: 'PodMetrics',
            apiVersion: 'metrics.k8s.io/v1beta1',
            metadata: {
              name: 'web-1',
              namespace: 'shop',
              labels: { app: 'web' },
              creationTimestamp: '2025-11-24T16:00:10Z',
            },
            timestamp: '2025-11-24T16:00:10Z',
            window: '10.000s',
            containers: [{ name: 'app', usage: { cpu: '500000000n', memory: '102400Ki' } }],
          },
        ],
      },
    ])
    expect(asked).to.deep.equal([{ namespace: 'shop', labelSelector: 'app=web' }])
  })

  it('answers all pods, one pod, the node, and what it serves', async () => {
    expect((await ask(`${root}/pods`)).body['items']).to.have.length(2)
    expect((await ask(`${root}/namespaces/other/pods/web-3`)).body['kind']).to.equal('PodMetrics')
    expect((await ask(`${root}/nodes/node-1`)).body['usage']).to.deep.equal({ cpu: '500000000n', memory: '102400Ki' })
    expect((await ask(`${root}/nodes`)).body['items']).to.have.length(1)
    expect((await ask(root)).body).to.include({ kind: 'APIResourceList', groupVersion: 'metrics.k8s.io/v1beta1' })
    expect((await ask('/apis/metrics.k8s.io')).body).to.include({ kind: 'APIGroup', name: 'metrics.k8s.io' })
  })

  it('answers 404 where there is nothing', async () => {
    for (const path of [
      `${root}/nodes/node-2`,
      `${root}/namespaces/shop/pods/web-2`,
      `${root}/services`,
      '/openapi/v2',
    ])
      expect((await ask(path)).body, path).to.include({ kind: 'Status', code: 404, reason: 'NotFound' })
  })

  it('says why it has no numbers instead of old ones', async () => {
    trouble = 'the kubelet does not say what its pods use: it answers 403'
    expect((await ask(`${root}/nodes`)).body).to.include({ code: 503, message: trouble })
    expect((await ask(root)).code, 'it is served nevertheless').to.equal(200)
  })

  it('refuses everybody but the API server', async () => {
    expect((await ask(`${root}/nodes`, 'admin')).body).to.include({ code: 403, message: 'only the API server may ask' })
    const without = ask(`${root}/nodes`, '').then(
      ({ code }) => code,
      () => 'no connection',
    )
    expect(await without).to.equal('no connection')
    expect(asked).to.deep.equal([])
  })
})
