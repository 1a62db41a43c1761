/**
 * `npm start` on a real node: the sample is rolled out through the API, answers requests, and its log is its real
 * output.
 */
import { expect } from 'chai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient, type Client } from '../../client/client.ts'
import { signInByPassword } from '../../client/password-sign-in.ts'
import type { View } from '../../contract/operations.ts'
import { canHaveNode } from '../../one-machine/node/can-have.ts'
import { request } from 'undici'
import { freePort, loopback } from '../../one-machine/processes/ports.ts'
import { openEvents } from '../api/open-events.ts'
import { eventually } from '../cluster/eventually.ts'
import { describeSharedServer } from './shared-server.ts'
import { makeServersOf } from '../harness/servers.ts'
import { Start, startWithinMs } from './started.ts'

type LogLine = View<'apps.logs'>['lines'][number]

const can = canHaveNode()

/** Browsers and curl resolve *.localhost themselves; the resolver of a test machine may not. */
async function answerAt(address: string): Promise<string> {
  const { hostname, host, port } = new URL(address)
  const reached = hostname.endsWith('.localhost') ? `http://${loopback}:${port}` : address
  return (await request(reached, { headers: { host } })).body.text()
}

/** Covers making the images of postgres and MinIO first. */
const engineWithinMs = 900_000

;(can.ok ? describe : describe.skip)('npm start on a real node', function () {
  this.timeout(2 * startWithinMs)
  let dataDir: string
  let running: Start
  let url: string
  let token: string
  let client: Client
  let project: string

  before(async () => {
    await makeServersOf('node')
    dataDir = mkdtempSync(join(tmpdir(), 'svc-start-node-'))
    running = new Start('--cluster', 'node', '--data', dataDir, '--port', String(await freePort()), '--demo')
    await running.untilServed()
    url = /svc +(http:\S+)/.exec(running.output)?.[1] ?? ''
    const password = /password (\S+)/.exec(running.output)?.[1] ?? ''
    token = await signInByPassword({
      baseUrl: url,
      username: 'admin',
      password,
      tokenName: 'node',
      expiresInDays: 1,
      userAgent: 'svc-test',
    })
    client = createClient({ baseUrl: url, token, userAgent: 'svc-test' })
    project = (await client.call('apps.get', { app: 'hello' })).resource.project
  })
  after(async () => {
    await running?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  it('prints the address of the sample, which answers', async () => {
    const address = /sample: the service hello of project demo is ready at (\S+)/.exec(running.output)?.[1]
    expect(address, running.output).to.match(/^http:/)
    await eventually(
      'the sample answers',
      async () => (await answerAt(address ?? '')).startsWith('hello from version 1 on hello-'),
      15_000,
    )
  })

  it('makes a postgres, a logical database and a bucket, and the guestbook uses them', async function () {
    this.timeout(engineWithinMs)
    const address = () => /the service guestbook, .*, is ready at (\S+)/.exec(running.output)?.[1]
    await eventually('the guestbook is ready', () => address() !== undefined, engineWithinMs).catch(
      (error: unknown) => {
        throw new Error(running.output, { cause: error })
      },
    )
    const visit = () => answerAt(address() ?? '')
    await eventually('a visit is noted', async () => (await visit()).startsWith('visit '), 30_000)
    const [, visits] = /^visit (\d+):/.exec(await visit()) ?? []
    expect(await visit()).to.equal(
      `visit ${Number(visits) + 1}: ${Number(visits) + 1} rows in the database, ${Number(visits) + 1} objects in the bucket\n`,
    )
  })

  describeSharedServer(() => ({ client, project }))

  describe('real logs', () => {
    const app = 'talker'
    // Writes to both outputs and exits: the kubelet restarts it, at first at once and then after ten seconds.
    const script =
      'echo "level=info msg=begin"; echo "level=error msg=oops" >&2; sleep 2; echo "level=info msg=end"; exit 1'

    before(async () => {
      await client.call('apps.create', { project, environment: 'production', name: app, image: 'busybox' })
      await client.call('apps.update', { app, command: ['sh', '-c', script], deploy: true })
      const phase = async () => (await client.call('apps.status', { app })).lastAttempt
      await eventually('its image would run as root', async () => (await phase())?.phase === 'Failed', 60_000)
      expect((await phase())?.summary).to.include('--run-as-root on')
      await client.call('apps.update', { app, runAsRoot: true, deploy: true })
    })

    const messages = (lines: readonly { line: string }[]) => lines.map(({ line }) => line.replace(/^.*msg=/, ''))

    it('GET /apps/{name}/logs/stream goes on across restarts of the container and across pods, and repeats nothing', async () => {
      const stream = await openEvents<LogLine>(`${url}/api/v1/apps/${app}/logs/stream`, token)
      const begins = (): LogLine[] => stream.seen.filter(({ line }) => line.endsWith('begin'))
      await eventually('three runs of one container', () => begins().length >= 3, 60_000)
      const pods = new Set(stream.seen.map(({ pod }) => pod))
      expect(pods.size).to.equal(1)
      await client.call('apps.config-set', { app, key: 'ROUND', value: 'two' })
      await client.call('apps.deploy', { app })
      await eventually('a run in a new pod', () => begins().some(({ pod }) => !pods.has(pod)), 60_000)
      expect(new Set(stream.seen.map(({ pod, t }) => `${pod} ${t}`)).size).to.equal(stream.seen.length)
      await stream.close()
    })

    it('GET /apps/{name}/logs has both outputs, levels, the run before, and what was written since', async () => {
      const { lines, services } = await client.call('apps.logs', { app, level: 'error' })
      expect(new Set(messages(lines))).to.deep.equal(new Set(['oops']))
      expect(services).to.deep.equal([app])
      let previous: LogLine[] = []
      await eventually(
        'a whole run before the present one',
        async () => {
          previous = (await client.call('apps.logs', { app, previous: true })).lines
          return messages(previous).includes('end')
        },
        60_000,
      )
      expect(new Set(previous.map((line) => line.previous))).to.deep.equal(new Set([true]))
      expect((await client.call('apps.logs', { app, tail: 1 })).lines).to.have.length(1)
      expect(
        (await client.call('apps.logs', { app: 'hello', since: '7d', q: 'LISTENS ON' })).lines.map(({ line }) => line),
      ).to.deep.equal(['hello 1 listens on port 8080', 'hello 1 listens on port 8080'])
    })

    it('GET /projects/{name}/logs merges the services of the project', async () => {
      const { lines, services } = await client.call('projects.logs', { project })
      expect(services).to.include.members(['hello', app])
      expect(lines.map(({ service }) => service)).to.include.members(['hello', app])
      expect(lines.map(({ t }) => t)).to.deep.equal(lines.map(({ t }) => t).sort())
    })

    it('GET /apps/{name}/deployments/{id}/logs has the steps of the deploy of the sample', async () => {
      const [latest] = (await client.call('apps.deployments', { app: 'hello' })).items
      const { sections } = await client.call('apps.deployment-logs', { app: 'hello', id: latest?.id ?? '' })
      expect(sections[0]).to.include({ id: 'deploy', title: 'Deploy' })
      // The copies run the image that the node's own registry has under that tag.
      expect(sections[0]?.lines.join('\n')).to.match(/image svc\/hello:1 is sha256:[0-9a-f]{64}/)
    })
  })
})
