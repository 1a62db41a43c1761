/**
 * The volume of a service on a real node: an image that does not run as root writes to it, and what it wrote is there
 * after a deploy, the death of its copy and a rollback.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Client, createClient } from '../../../client/client.ts'
import { signInByPassword } from '../../../client/password-sign-in.ts'
import { type ConnectedCluster, connectCluster } from '../../../cluster/client.ts'
import type { KubeObject } from '../../../cluster/objects/object.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { findCommand } from '../../../one-machine/debian/packages.ts'
import { busyboxImage } from '../../../one-machine/images/catalogue.ts'
import { fillRegistry } from '../../../one-machine/images/fill.ts'
import { canHaveNode } from '../../../one-machine/node/can-have.ts'
import { kubeconfigPath } from '../../../one-machine/node/certificates.ts'
import { REGISTRY_PORT } from '../../../one-machine/node/config-files.ts'
import { freePort } from '../../../one-machine/processes/ports.ts'
import { eventually } from '../../cluster/eventually.ts'
import { makeServersOf } from '../../harness/servers.ts'
import { Start, startWithinMs } from '../started.ts'

const can = canHaveNode()
const waitMs = 90_000
/** Each start adds a line to a file of the volume, and says who it is and how many lines there are. */
const script = 'echo start >> /data/starts; echo "user $(id -u), start $(wc -l < /data/starts)"; sleep 3600 & wait'

;(can.ok ? describe : describe.skip)('A volume on a real node', function () {
  this.timeout(startWithinMs + 4 * waitMs)
  const app = 'writer'
  let dataDir: string
  let running: Start
  let client: Client
  let cluster: ConnectedCluster
  let project: string

  before(async () => {
    await makeServersOf('node')
    dataDir = mkdtempSync(join(tmpdir(), 'svc-start-volume-'))
    running = new Start('--cluster', 'node', '--data', dataDir, '--port', String(await freePort()))
    await running.untilServed()
    const baseUrl = /svc +(http:\S+)/.exec(running.output)?.[1] ?? ''
    const password = /password (\S+)/.exec(running.output)?.[1] ?? ''
    const login = { baseUrl, username: 'admin', password, tokenName: 'volume', expiresInDays: 1, userAgent: 'svc-test' }
    client = createClient({ baseUrl, token: await signInByPassword(login), userAgent: 'svc-test' })
    cluster = connectCluster({ kubeconfig: kubeconfigPath(join(dataDir, 'node/node'), 'admin') })
    project = (await client.call('projects.create', {})).project
    await pushWriter()
  })
  after(async () => {
    await cluster?.close()
    await running?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  /** BusyBox that runs as another user than root: new environments let in nothing else. */
  async function pushWriter(): Promise<void> {
    const busybox = await busyboxImage(findCommand('busybox') ?? '')
    if (busybox === undefined) throw new Error('the busybox of this machine cannot be put into an image')
    const [, address = ''] = /(\S+) node-1/.exec(readFileSync(join(dataDir, 'node/node/etc/hosts'), 'utf8')) ?? []
    const writer = {
      ...busybox,
      repository: 'svc/writer',
      tags: ['1', '2'],
      config: { ...busybox.config, Cmd: ['sh', '-c', script], User: '1234:1234' },
    }
    await fillRegistry(
      `http://${address}:${REGISTRY_PORT}`,
      join(dataDir, 'images-writer.json'),
      [writer],
      () => undefined,
    )
  }

  const says = async (line: string): Promise<void> => {
    let seen: string[] = []
    const isSaid = async () => {
      seen = (await client.call('apps.logs', { app })).lines.map((each) => each.line)
      return seen.includes(line) && (await client.call('apps.status', { app })).state === 'ready'
    }
    await eventually(`it says: ${line}`, isSaid, waitMs).catch(async (error: unknown) => {
      throw new Error(`${String(error)}: ${JSON.stringify([seen, await client.call('apps.status', { app })])}`)
    })
  }
  const claims = async () =>
    (await cluster.list<KubeObject>(coreTypes.persistentVolumeClaim, { namespace: `${project}-production` })).items

  it('has what was written after a deploy, the death of the copy and a rollback', async () => {
    const volume = { volumePath: '/data', volumeSize: '64Mi' }
    await client.call('apps.create', {
      project,
      environment: 'production',
      name: app,
      image: 'svc/writer:1',
      ...volume,
      deploy: true,
    })
    await says('user 1234, start 1')
    const [first] = (await client.call('apps.deployments', { app })).items
    await client.call('apps.update', { app, image: 'svc/writer:2', deploy: true })
    await says('user 1234, start 2')
    const { items: pods } = await cluster.list<KubeObject>(coreTypes.pod, {
      namespace: `${project}-production`,
      labelSelector: `svc.dev/app=${app}`,
    })
    expect(pods, 'copies never have it at once').to.have.length(1)
    for (const { metadata } of pods)
      await cluster.delete({ type: coreTypes.pod, namespace: `${project}-production`, name: metadata.name })
    await says('user 1234, start 3')
    await client.call('apps.rollback', { app, revision: first?.id ?? '' })
    await says('user 1234, start 4')
  })

  it('does not grow where the storage of the node cannot, in words', async () => {
    const refusal = await client.call('apps.update', { app, volumeSize: '1Gi' }).then(
      () => 'taken',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )
    expect(refusal).to.equal('this cluster cannot enlarge volumes; the volume keeps its 64Mi')
  })

  it('goes with the service', async () => {
    expect(await claims()).to.have.length(1)
    await client.call('apps.delete', { app, confirmName: app })
    await eventually('its claim is gone', async () => (await claims()).length === 0, waitMs)
  })
})
