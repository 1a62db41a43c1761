/** Metrics where no Prometheus is configured, or it does not answer. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { startTestApi } from './test-api.ts'

describe('metrics without a store', () => {
  let server: Server

  before(async () => {
    server = createServer(() => undefined)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  after(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })

  const paths = ['/cluster/metrics', '/operator/metrics']

  it('answers that none is configured', async () => {
    const api = await startTestApi()
    try {
      const token = await api.token({ role: 'viewer' })
      for (const path of paths) {
        const { status, body } = await api.ask('GET', `/api/v1${path}`, { token })
        expect([status, body.available, body.message]).to.deep.equal([200, false, 'no metrics store is configured'])
        for (const points of Object.values(body.series)) expect(points).to.deep.equal([])
      }
      const usage = await api.ask('GET', '/api/v1/usage', { token })
      expect(usage.body.actualAvailable).to.equal(false)
      expect(usage.body.platform).to.have.all.keys(
        'pods',
        'cpuReservedMillis',
        'memoryReservedBytes',
        'storageReservedBytes',
      )
      expect((await api.ask('GET', '/api/bootstrap', { token })).body.metrics.cpuCores).to.equal(null)
    } finally {
      await api.stop()
    }
  })

  it('gives a store up that says nothing for five seconds', async () => {
    const api = await startTestApi({
      env: { SVC_PROMETHEUS_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
    })
    try {
      const token = await api.token({ role: 'viewer' })
      const answers = await Promise.all(paths.map((path) => api.ask('GET', `/api/v1${path}`, { token })))
      for (const { status, body } of answers)
        expect([status, body.available, body.message]).to.deep.equal([
          200,
          false,
          'the metrics store did not answer within 5 s',
        ])
    } finally {
      await api.stop()
    }
  })
})
