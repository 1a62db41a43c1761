/** Sessions on a real pseudo-terminal against a real api, worker and cluster: waiting, Ctrl-C, and following a log. */
import { expect } from 'chai'
import { writeLog } from '../api/played-pods.ts'
import { type TestApi, startTestApi } from '../api/test-api.ts'
import { eventually } from '../cluster/eventually.ts'
import { useWorker } from '../harness/worker.ts'
import { onTerminal, type TerminalRun } from './on-terminal.ts'

/** Pods with this image never start on the simulated cluster. */
const brokenImage = 'registry.example.com/broken-image:1'
const name = 'terminal-web'
const withinMs = 20_000

describe('on a terminal, against a real api', function () {
  this.timeout(180_000)
  let api: TestApi
  let token: string
  before(async () => {
    const [started] = await Promise.all([startTestApi(), useWorker()])
    api = started
    token = await api.token({ name: 'terminal', role: 'admin' })
    const { project } = await ask('POST', '/projects', {})
    await ask('POST', '/apps', { project, environment: 'production', name, image: 'nginx:1.29' })
  })
  after(async () => {
    await ask('DELETE', `/apps/${name}`, { confirmName: name })
    await api.stop()
  })
  const ask = async (method: string, path: string, json: object): Promise<Record<string, string>> => {
    const answer = await api.ask(method, `/api/v1${path}`, { token, json })
    expect(answer.status, answer.text).to.be.below(300)
    return answer.body as Record<string, string>
  }
  const start = (...args: string[]): TerminalRun =>
    onTerminal(args, { SVC_URL: api.baseUrl, SVC_TOKEN: token, SVC_CONFIG: '/nowhere/config.json', NO_COLOR: '1' })
  const lastLine = (run: TerminalRun) => run.screen().split('\r\x1b[2K').at(-1)

  it('deploy --wait updates one line until the copies are ready', async () => {
    const run = start('deploy', name, '--wait')
    expect(await run.ended(), run.screen()).to.equal(0)
    expect(lastLine(run)).to.match(/^✓ terminal-web is ready after \d+s.*\r\n$/)
    expect(run.screen().split('\r\n')).to.have.length(2)
  })
  it('logs -f goes on with the copies of a restart and of another image, until Ctrl-C', async () => {
    const run = start('logs', name, '-f')
    await writeLog('before-the-next-deploy')
    await run.shows('before-the-next-deploy')
    const copies = () => new Set(run.screen().match(/terminal-web-[a-z0-9]+-[a-z0-9]+/g))
    expect(copies().size).to.equal(1)
    const deploys = [
      ['deploy', name, '--wait'], // nothing is changed: the copies are restarted
      ['apps', 'set', name, '--image', 'nginx:1.30', '--wait'],
    ]
    for (const [at, deploy] of deploys.entries()) {
      expect(await start(...deploy).ended()).to.equal(0)
      await writeLog(`after-deploy-${at}`)
      await eventually('the log of the next copy is shown', () => copies().size === at + 2, withinMs)
      await run.shows(`after-deploy-${at}`)
    }
    run.type('\x03')
    expect(await run.ended()).to.equal(0)
  })
  it('Ctrl-C leaves the deploy alone, and status --wait comes back to it', async () => {
    await ask('PATCH', `/apps/${name}`, { image: brokenImage })
    const waiting = start('deploy', name, '--wait')
    await waiting.shows('rolling out')
    waiting.type('\x03')
    expect(await waiting.ended()).to.equal(1)
    expect(lastLine(waiting)).to.include(`the deploy of ${name} goes on, look with \`svc status ${name} --wait\``)
    const again = start('status', name, '--wait')
    await again.shows('cannot be pulled')
    await ask('PATCH', `/apps/${name}`, { image: 'nginx:1.29', deploy: true })
    expect(await again.ended(), again.screen()).to.equal(0)
    expect(lastLine(again)).to.match(/^✓ terminal-web is ready after /)
  })
})
