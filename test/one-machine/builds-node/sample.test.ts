/**
 * `npm start -- --demo` on a real node: the sample that is built from the git server of the machine, a push that
 * deploys it, and what is left after a stop.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { createClient, type Client } from '../../../client/client.ts'
import { signInByPassword } from '../../../client/password-sign-in.ts'
import { connectCluster } from '../../../cluster/client.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { canHaveNode } from '../../../one-machine/node/can-have.ts'
import { kubeconfigPath } from '../../../one-machine/node/certificates.ts'
import { freePort } from '../../../one-machine/processes/ports.ts'
import { makeServersOf, testServer } from '../../harness/servers.ts'
import { Start } from '../started.ts'
import { type CopyPod, imagesMs, processes } from './build-node.ts'
import { eventuallyOnNode } from '../../cluster/eventually.ts'

const run = promisify(execFile)
const can = canHaveNode()
const app = 'sample'

;(can.ok ? describe : describe.skip)('the sample from git on a real node', function () {
  this.timeout(imagesMs)
  let dataDir: string
  let work: string
  let port: number
  let running: Start
  let client: Client
  let project: string

  const start = async (...more: string[]) => {
    running = new Start('--cluster', 'node', '--data', dataDir, '--port', String(port), ...more)
    await running.untilServed()
  }
  // That variable wins over the settings of a clone, and a shell may have it.
  const env = { ...process.env, GIT_SSL_CAINFO: undefined }
  const git = async (...args: string[]) => {
    const as = ['-c', 'user.name=t', '-c', 'user.email=t@example.test']
    return (await run('git', [...as, ...args], { cwd: work, env })).stdout.trim()
  }
  /** What the newest copy answers. */
  const answer = async () => {
    const cluster = connectCluster({ kubeconfig: kubeconfigPath(join(dataDir, 'node/node'), 'admin') })
    try {
      const query = { namespace: `${project}-production`, labelSelector: `svc.dev/app=${app}` }
      const { items } = await cluster.list<CopyPod>(coreTypes.pod, query)
      const copy = items.find(({ metadata, status }) => metadata.deletionTimestamp === undefined && status.podIP)
      return await (await fetch(`http://${copy?.status.podIP}:8080/`)).text()
    } finally {
      await cluster.close()
    }
  }
  /** Commits other words and pushes them as a user does; resolves with the commit. */
  const push = async (words: string) => {
    const file = join(work, 'server.mjs')
    writeFileSync(file, readFileSync(file, 'utf8').replace(/greeting = '.*'/, `greeting = '${words}'`))
    await git('commit', '-q', '-a', '-m', words)
    await git('push', '-q')
    return git('rev-parse', 'HEAD')
  }
  const answers = (words: string) =>
    eventuallyOnNode(`it answers ${words}`, async () => (await answer().catch(() => '')) === `${words}\n`)

  before(async () => {
    await makeServersOf('node')
    for (const name of ['buildctl', 'buildkitd', 'rootlesskit'] as const) await testServer(name)
    dataDir = mkdtempSync(join(tmpdir(), 'svc-sample-node-'))
    work = join(mkdtempSync(join(tmpdir(), 'svc-sample-work-')), 'sample')
    port = await freePort()
    await start('--demo')
    const baseUrl = `http://127.0.0.1:${port}`
    const password = /password (\S+)/.exec(running.output)?.[1] ?? ''
    const login = { baseUrl, username: 'admin', password, tokenName: 'sample', expiresInDays: 1, userAgent: 'svc-test' }
    client = createClient({ baseUrl, token: await signInByPassword(login), userAgent: 'svc-test' })
  })
  after(async () => {
    await running?.stop()
    rmSync(dataDir, { recursive: true, force: true })
    rmSync(join(work, '..'), { recursive: true, force: true })
  })

  it('is built from the repository of the machine, over https, and answers', async () => {
    const line = () => /the service sample, built from (https:\S+), is ready/.exec(running.output)
    const isOver = () => line() !== null || /the sample from git is not ready/.test(running.output)
    await eventuallyOnNode('the sample is there', isOver, imagesMs)
    expect(line()?.[1], running.output).to.match(/^https:\/\/10\.\d+\.0\.1:\d+\/sample\.git$/)
    const { resource } = await client.call('apps.get', { app })
    project = resource.project
    await answers('hello from git')
    expect((await client.call('apps.status', { app })).build).to.include({ phase: 'Succeeded' })
  })

  it('is cloned by the command that the start prints, and a push to it deploys', async () => {
    const [, command = ''] = /^ {2}git +(git clone .+)$/m.exec(running.output) ?? []
    const [program = '', ...words] = command.split(' ')
    await run(program, [...words, work], { env })
    const commit = await push('hello again')
    await answers('hello again')
    const { items } = await client.call('apps.builds', { app })
    expect(items[0]).to.include({ trigger: 'push', commit, phase: 'Succeeded' })
  })

  it('leaves no process after a stop, and the next start brings the git server back', async () => {
    expect(await running.stop()).to.equal(0)
    const left = (await processes()).filter((text) => text.includes(dataDir))
    expect(left).to.deep.equal([])
    await start()
    await push('hello after a stop')
    await answers('hello after a stop')
  })
})
