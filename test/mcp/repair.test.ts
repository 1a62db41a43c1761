/** A whole task of an agent, against the real api, worker and cluster: find out why a service fails, and repair it. */
import { expect } from 'chai'
import { type TestApi, startTestApi } from '../api/test-api.ts'
import { useWorker } from '../harness/worker.ts'
import { startAgentHost, startStdioAgent, textOf, type Agent, type AgentHost } from './agent.ts'

/** Pods of this image never get it on the simulated cluster. */
const brokenImage = 'registry.example.com/broken-image:1'

describe('an agent that repairs a service', function () {
  this.timeout(300_000)
  let api: TestApi
  let host: AgentHost
  let admin: string
  let project: string
  before(async () => {
    const [started] = await Promise.all([startTestApi(), useWorker()])
    api = started
    host = await startAgentHost(api.baseUrl, { allowDelete: true })
    admin = await api.token({ name: 'agent', scope: 'workspace', role: 'admin' })
    const made = await api.ask('POST', '/api/v1/projects', { json: {}, token: admin })
    project = made.body.project
  })
  after(async () => {
    await host.stop()
    await api.stop()
  })

  const transports: [string, () => Promise<Agent>][] = [
    ['over HTTP', async () => await host.agent(admin)],
    ['on standard input and output', async () => await startStdioAgent(api.baseUrl, admin, ['--allow-delete'])],
  ]
  for (const [index, [title, connect]] of transports.entries()) {
    it(`finds why a service fails, repairs it, and goes back, ${title}`, async () => {
      const agent = await connect()
      const app = `agent-shop-${index}`
      const place = { project, environment: 'production' }
      await agent.ok('create_app', { ...place, name: app, image: 'nginx:1.29' })
      const first = await agent.ok('deploy_app', { app, wait: true, timeout_seconds: 100 }, { timeout: 120_000 })
      expect(first).to.include({ outcome: 'complete' })
      await api.ask('PATCH', `/api/v1/apps/${app}`, { json: { image: brokenImage }, token: admin })

      // A failed deploy is a result: the agent reads what went wrong.
      const steps: string[] = []
      const failed = await agent.call(
        'deploy_app',
        { app, wait: true, timeout_seconds: 120 },
        { onprogress: ({ message = '' }) => steps.push(message), timeout: 180_000 },
      )
      expect(failed.isError).to.equal(undefined)
      expect(failed.structuredContent).to.include({ outcome: 'failed' })
      expect(textOf(failed)).to.match(/failed after \d+ seconds: .*image/)
      expect(steps).not.to.deep.equal([])

      // Find the service, read why it failed.
      const { items } = await agent.ok('list_apps', place)
      expect(items.find((it: { name: string }) => it.name === app)).to.include({ state: 'failed' })
      const status = await agent.ok('app_status', { app })
      expect(status.message).to.match(/image/)
      const log = await agent.ok('deployment_logs', { app, deployment: status.lastAttempt.id })
      expect(log.sections).to.be.an('array').with.length.above(0)

      // Set variables; nothing shows the secret.
      const set = await agent.ok('set_variable', { app, name: 'COLOUR', value: 'green' })
      expect(set).to.deep.include({ app, name: 'COLOUR' })
      const secret = await agent.call('set_variable', { app, name: 'API_KEY', value: 'hunter2-hunter2', secret: true })
      const listed = await agent.call('list_variables', { app })
      expect(listed.structuredContent).to.deep.include({ config: { COLOUR: 'green' }, secrets: ['API_KEY'] })
      expect(JSON.stringify([secret, listed])).not.to.include('hunter2')

      // Go back, wait.
      const good = (await agent.ok('app_deployments', { app })).items.find(
        (it: { image: string }) => it.image === 'nginx:1.29',
      )
      // The variables stay saved and undeployed: a rollback leaves them, and is complete all the same.
      const target = { app, deployment: good.id, wait: true, timeout_seconds: 100 }
      const back = await agent.ok('rollback_app', target, { timeout: 120_000 })
      expect(back).to.include({ outcome: 'complete' })
      expect(await agent.ok('scale_app', { app, replicas: 2 })).to.deep.equal({ app, replicas: 2 })
      expect(await agent.ok('unset_variable', { app, name: 'COLOUR' })).to.include({ removed: true })

      // Deleting needs the name again.
      expect(await agent.refused('delete_resource', { kind: 'apps', name: app, confirm: 'other' })).to.equal(
        'confirmation did not match the resource name',
      )
      expect(await agent.ok('delete_resource', { kind: 'apps', name: app, confirm: app })).to.include({
        deleting: true,
      })
      await agent.close()
    })
  }
})
