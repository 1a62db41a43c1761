/**
 * Waits of an agent against a real api, worker and cluster, over both transports: the deploy goes on to its end when
 * the agent cancels the wait or its connection drops.
 */
import { expect } from 'chai'
import { startTestApi, type TestApi } from '../api/test-api.ts'
import { eventually } from '../cluster/eventually.ts'
import { useWorker } from '../harness/worker.ts'
import { startAgentHost, startStdioAgent, type Agent, type AgentHost } from './agent.ts'
import { startHeldProcess } from './held-process.ts'

const app = 'waited-for'
const endsWithinMs = 60_000
const wait = { app, wait: true, timeout_seconds: 100 }

describe('agents that wait for a real deploy', function () {
  this.timeout(120_000)
  let api: TestApi
  let host: AgentHost
  let token: string
  before(async () => {
    const [started] = await Promise.all([startTestApi(), useWorker()])
    api = started
    host = await startAgentHost(api.baseUrl)
    token = await api.token({ name: 'waits', role: 'admin' })
    const { project } = (await api.ask('POST', '/api/v1/projects', { json: {}, token })).body
    const fields = { project, environment: 'production', name: app, image: 'nginx:1.0', deploy: true }
    await api.ask('POST', '/api/v1/apps', { json: fields, token })
    await untilRuns('nginx:1.0')
  })
  after(async () => {
    await api.ask('DELETE', `/api/v1/apps/${app}`, { json: { confirmName: app }, token })
    await host.stop()
    await api.stop()
  })

  const deployments = async (): Promise<{ id: string; image: string }[]> =>
    (await api.ask('GET', `/api/v1/apps/${app}/deployments`, { token })).body.items
  /** Until the newest deployment is one of the image, and its attempt has succeeded; answers its ID. */
  async function untilRuns(image: string): Promise<string> {
    let id = ''
    const runs = async () => {
      const { lastAttempt } = (await api.ask('GET', `/api/v1/apps/${app}/status`, { token })).body
      const [newest] = await deployments()
      id = newest?.id ?? ''
      return newest?.image === image && lastAttempt?.id === id && lastAttempt.phase === 'Succeeded'
    }
    await eventually(`${image} runs`, runs, endsWithinMs)
    return id
  }
  const save = async (image: string): Promise<number> => {
    const { status } = await api.ask('PATCH', `/api/v1/apps/${app}`, { json: { image }, token })
    expect(status).to.equal(200)
    return (await deployments()).length
  }

  const transports: [string, () => Promise<Agent>][] = [
    ['over HTTP', async () => await host.agent(token)],
    ['on standard input and output', async () => await startStdioAgent(api.baseUrl, token)],
  ]
  for (const [index, [title, connect]] of transports.entries())
    describe(title, () => {
      let agent: Agent
      before(async () => (agent = await connect()))
      after(async () => await agent.close())

      it('get progress that rises, and then the end', async () => {
        await save(`nginx:1.1${index}`)
        const seen: number[] = []
        const onprogress = ({ progress, total }: { progress: number; total?: number | undefined }) => {
          expect(total).to.equal(100)
          seen.push(progress)
        }
        expect(await agent.ok('deploy_app', wait, { onprogress })).to.include({ outcome: 'complete' })
        expect(seen).not.to.deep.equal([])
        expect(seen).to.deep.equal(seen.toSorted((one, other) => one - other))
      })
      it('may cancel: the deploy ends well, and the connection stays of use', async () => {
        const before = await save(`nginx:1.2${index}`)
        const cancel = new AbortController()
        const options = { signal: cancel.signal, onprogress: () => cancel.abort() }
        const thrown = await agent.call('deploy_app', wait, options).catch((error: unknown) => error)
        expect(thrown).to.be.instanceOf(Error)
        const id = await untilRuns(`nginx:1.2${index}`)
        expect(await deployments()).to.have.length(before + 1)
        expect(await agent.ok('app_status', { app })).to.have.nested.property('lastAttempt.id', id)
      })
    })

  it('may drop the HTTP connection: the deploy ends well', async () => {
    const before = await save('nginx:1.3')
    const agent = await host.agent(token)
    await new Promise<void>((resolve) => {
      agent.call('deploy_app', wait, { onprogress: () => resolve() }).catch(() => undefined) // cut on the next line
    })
    await agent.close()
    await untilRuns('nginx:1.3')
    expect(await deployments()).to.have.length(before + 1)
  })
  it('may close the standard input: svc mcp ends, and the deploy ends well', async () => {
    const before = await save('nginx:1.4')
    const held = await startHeldProcess(api.baseUrl, token)
    held.call('deploy_app', wait)
    await held.progress()
    expect(await held.hangUp()).to.deep.equal({ code: 0, signal: null })
    expect(held.received.filter(({ result }) => result !== undefined)).to.have.length(1) // of the initialization
    await untilRuns('nginx:1.4')
    expect(await deployments()).to.have.length(before + 1)
  })
})
