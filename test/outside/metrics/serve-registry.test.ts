/** The port on which a process serves its own metrics. */
import { expect } from 'chai'
import { Counter, Registry } from 'prom-client'
import { measureClusterRequests } from '../../../outside/metrics/cluster-requests.ts'
import { metricsSettings, serveRegistry, type MetricsServer } from '../../../outside/metrics/serve-registry.ts'

describe('the metrics of a process', () => {
  let server: MetricsServer
  const registry = new Registry()
  const counter = new Counter({ name: 'svc_test_total', help: 'Test.', registers: [registry] })

  before(async () => {
    server = await serveRegistry(registry, { port: 0, host: '127.0.0.1' })
  })
  after(() => server.close())

  const get = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${server.port}${path}`, { method })

  it('are served as they are at that moment', async () => {
    counter.inc(3)
    const answer = await get('/metrics?x=1')
    expect([answer.status, answer.headers.get('content-type')]).to.deep.equal([200, registry.contentType])
    expect(await answer.text()).to.match(/^svc_test_total 3$/m)
  })

  it('are all there is', async () => {
    for (const [path, method] of [
      ['/', 'GET'],
      ['/metrics', 'POST'],
      ['/metrics/more', 'GET'],
    ] as const)
      expect((await get(path, method)).status, `${method} ${path}`).to.equal(404)
  })

  it('are refused a port that is taken', async () => {
    const error: unknown = await serveRegistry(registry, { port: server.port, host: '127.0.0.1' }).catch(
      (reason: unknown) => reason,
    )
    expect(error).to.have.property('code', 'EADDRINUSE')
  })

  it('count the calls of the cluster by what they asked, and no watches', async () => {
    const own = new Registry()
    const onRequest = measureClusterRequests(own)
    onRequest('list', 'pods', 200, 20)
    onRequest('watch', 'pods', 200, 60_000)
    const text = await own.metrics()
    expect(text)
      .to.include('svc_cluster_request_seconds_count{verb="list",resource="pods",status="200"} 1')
      .and.not.include('verb="watch"')
  })

  const settings: [Record<string, string>, unknown][] = [
    [{}, undefined],
    [{ SVC_METRICS_PORT: '' }, undefined],
    [{ SVC_METRICS_PORT: '9464' }, { port: 9464, host: '127.0.0.1' }],
    [
      { SVC_METRICS_PORT: '0', SVC_METRICS_HOST: '0.0.0.0' },
      { port: 0, host: '0.0.0.0' },
    ],
  ]
  for (const [env, wanted] of settings)
    it(`are set by ${JSON.stringify(env)}`, () => expect(metricsSettings(env)).to.deep.equal(wanted))
  for (const port of ['-1', '65536', 'web', '1.5'])
    it(`refuse the port ${port}`, () =>
      expect(() => metricsSettings({ SVC_METRICS_PORT: port })).to.throw('SVC_METRICS_PORT must be a port number'))
})
