/**
 * A worker that dies right before or right after a write for a logical database: the next worker completes the action,
 * with one login and one database.
 */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { claimSecretName, createJobName, dropJobName, loginSecretName } from '../../kinds/logical-databases/names.ts'
import type { LogicalDatabase } from '../../kinds/logical-databases/kind.ts'
import { eventually } from '../cluster/eventually.ts'
import { wakeWith } from '../harness/records.ts'
import { testPolicy, useWorker, withoutWorker } from '../harness/worker.ts'
import { killPolicy, startMortalWorker } from '../kill/enumerated.ts'
import type { MortalProcess } from '../kill/mortal-process.ts'
import { atWrites, diesWith, type WritePoint } from '../kill/write-points.ts'
import {
  createLogical,
  jobOf,
  type LogicalWorld,
  mint,
  openLogicalWorld,
  remove,
  removeServer,
  secretOf,
  standInServer,
  untilGone,
  untilReady,
} from './logical-world.ts'

/** finalizer, accepted, claim, login, names, Job, Event, creating, connection, Event, ready */
const making: readonly WritePoint[] = [
  { when: 'after', write: 3 },
  { when: 'before', write: 6 },
  { when: 'after', write: 6 },
]
/** accepted, stopped, Event, status, drop, its start, Event, status, Secrets, Job, finalizer */
const removing: readonly WritePoint[] = [
  { when: 'after', write: 2 },
  { when: 'after', write: 5 },
]

describe('a worker that dies while it', function () {
  this.timeout(120_000)
  let world: LogicalWorld
  let shared: Database
  let worker: MortalProcess

  before(async function () {
    this.timeout(180_000)
    await useWorker()
    world = await openLogicalWorld()
    shared = await standInServer(world, { name: 'shared-postgres', project: '', environment: '' })
    await withoutWorker()
    wakeWith(killPolicy)
    worker = await startMortalWorker()
  })
  after(async function () {
    this.timeout(180_000)
    wakeWith(testPolicy)
    await worker.kill()
    await useWorker()
    const { records, project } = world
    await records.projects.remove(project.metadata.name, project.metadata.uid ?? '')
    const gone = async () => (await records.projects.readLive(project.metadata.name)) === undefined
    await eventually('the project is gone with all of them', gone, 150_000)
    await removeServer(records, shared)
  })

  const create = (name: string) =>
    createLogical(world, 'shared-postgres', { databaseName: name.replace('-', '_') }, name)

  /** Whether the worker died at the write; another worker runs by then. */
  async function survive(completion: Promise<unknown>): Promise<boolean> {
    const died = await diesWith(worker, completion)
    if (died) worker = await startMortalWorker()
    return died
  }

  async function expectWhole({ metadata: { name, uid } }: LogicalDatabase): Promise<void> {
    const login = await secretOf(world, systemNamespace, loginSecretName(name))
    const connection = await secretOf(world, world.place, connectionSecretName(name))
    expect(login?.['password']).to.match(/^[0-9a-f]{48}$/)
    for (const key of ['database', 'username', 'password']) expect(connection?.[key], key).to.equal(login?.[key])
    expect((await jobOf(world, systemNamespace, createJobName(name)))?.metadata.labels?.[labels.owner]).to.equal(uid)
    for (const [type, namespace, count] of [
      [coreTypes.secret, systemNamespace, 2], // of its login, and the claim to its name
      [coreTypes.secret, world.place, 1],
      [coreTypes.job, systemNamespace, 1],
    ] as const) {
      const { items } = await world.records.client.list<KubeObject>(type, {
        namespace,
        labelSelector: `${labels.owner}=${uid}`,
        metadataOnly: true,
      })
      expect(items.length, type.kind).to.equal(count)
    }
  }

  atWrites(
    making,
    (where) => `makes a logical database, ${where}, leaves it made once`,
    async (point) => {
      const name = mint('ldb')
      worker.arm({ ...point, about: '', names: [name, claimSecretName('')] })
      const record = await create(name)
      const completion = untilReady(world, record)
      const died = await survive(completion)
      await completion
      await expectWhole(record)
      return died
    },
  )

  atWrites(
    removing,
    (where) => `removes a logical database, ${where}, leaves nothing of it`,
    async (point) => {
      const name = mint('ldb')
      const record = await untilReady(world, await create(name))
      const { uid = '' } = record.metadata
      const drop = dropJobName(record.status?.username ?? '')
      worker.arm({ ...point, about: '', names: [name, drop] })
      await remove(world, record)
      const completion = untilGone(world, record)
      const died = await survive(completion)
      await completion
      expect(await secretOf(world, systemNamespace, loginSecretName(name))).to.equal(undefined)
      expect(await secretOf(world, world.place, connectionSecretName(name))).to.equal(undefined)
      expect(await jobOf(world, systemNamespace, createJobName(name))).to.equal(undefined)
      for (const type of [coreTypes.job, coreTypes.secret])
        await eventually(`no ${type.kind} is left`, async () => {
          const { items } = await world.records.client.list<KubeObject>(type, {
            namespace: systemNamespace,
            labelSelector: `${labels.owner}=${uid}`,
            metadataOnly: true,
          })
          return items.length === 0
        })
      return died
    },
  )
})
