/** A worker on a machine with a wrong clock: it compares times that other processes wrote with the cluster's clock. */
import type { V1Secret } from '@kubernetes/client-node'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { appState } from '../../kinds/apps/state.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { secretPurposes } from '../../kinds/secrets/named-secret.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { freezeSecrets } from '../../records/apps/freeze-secrets.ts'
import { setSecret } from '../../records/apps/secrets.ts'
import { keysName } from '../../records/cloud-connections/create-connection.ts'
import {
  createApp,
  createProject,
  deploy,
  type TestRecords,
  until,
  untilState,
  useRecords,
} from '../harness/records.ts'
import { resyncUntil } from '../harness/resync.ts'
import { startTestWorker, type TestWorker, withoutWorker } from '../harness/worker.ts'
import { attemptIn, untilSetUp } from './service-world.ts'

const shiftMinutes = 15
const minute = 60_000

for (const [where, shift] of [
  ['ahead', shiftMinutes],
  ['behind', -shiftMinutes],
] as const) {
  describe(`a worker whose clock is ${shiftMinutes} minutes ${where}`, function () {
    this.timeout(120_000)
    const said: string[] = []
    let records: TestRecords
    let project: Project
    let worker: TestWorker

    const start = async (policy: Partial<Record<string, number>>): Promise<TestWorker> =>
      await startTestWorker(
        policy,
        'temporal/main.ts',
        {
          NODE_OPTIONS: `--import=${join(import.meta.dirname, '../harness/shift-clock.mjs')}`,
          SVC_TEST_CLOCK_SHIFT_MS: String(shift * minute),
        },
        (line) => said.push(line),
      )

    before(async () => {
      records = await useRecords()
      await withoutWorker()
      worker = await start({ sweepMs: 10 * minute })
      project = await createProject(records)
      await untilSetUp(records, project)
    })
    after(async () => await worker.stop())

    const isThere = async (name: string): Promise<boolean> =>
      (await records.client.get({ type: coreTypes.secret, namespace: systemNamespace, name })) !== undefined

    /** Freezes the secrets of a deploy that is not accepted yet. */
    const freeze = async (): Promise<string> => {
      const { app } = await setSecret(records, await createApp(records, project), 'SECRET', 'unread')
      const record = `${app.metadata.name}-frozen`
      await freezeSecrets(records.client, app, () => records.projects.readLive(project.metadata.name), record)
      return record
    }

    /** Resolves when a resync has swept: it removes keys that no connection has and that were written an hour ago. */
    const untilSwept = async (): Promise<void> => {
      const name = keysName(`gone-${randomBytes(4).toString('hex')}`)
      const writtenAt = new Date(Date.now() - 60 * minute).toISOString()
      await records.client.create<Sent<V1Secret>>(coreTypes.secret, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name,
          namespace: systemNamespace,
          labels: { [labels.purpose]: secretPurposes.cloudKeys },
          annotations: { [annotations.writtenAt]: writtenAt },
        },
      })
      await resyncUntil('old keys are swept', async () => !(await isThere(name)))
    }

    it('says so', () => {
      const seconds = (shiftMinutes * minute) / 1000
      expect(said.join('\n')).to.match(
        new RegExp(`the clock of this machine is (${seconds - 1}|${seconds}|${seconds + 1}) s ${where}`),
      )
    })

    it('does not sweep secrets that are just being frozen', async () => {
      const record = await freeze()
      // The second resync begins after the first has ended.
      await untilSwept()
      await untilSwept()
      expect(await isThere(record)).to.equal(true)
    })

    it('deploys, and ends an attempt when its time is over', async () => {
      const [good, bad] = [
        await createApp(records, project),
        await createApp(records, project, { image: 'does-not-exist:1' }),
      ]
      const [accepted, awaited] = [await deploy(records, good), await deploy(records, bad)]
      await untilState(records, good, 'ready', attemptIn(accepted))
      await until(records.apps, bad, (app) => app !== undefined && appState(app).state === 'failed', 'failed')
      const { lastAttempt } = (await records.apps.readLive(bad.metadata.name))?.status ?? {}
      expect(lastAttempt?.id).to.equal(attemptIn(awaited))
      const [startedAt, completedAt] = [lastAttempt?.startedAt, lastAttempt?.completedAt].map((at) =>
        Date.parse(at ?? ''),
      )
      expect(Math.abs((startedAt ?? 0) - Date.now()), 'by the clock of the cluster').to.be.lessThan(minute)
      expect((completedAt ?? 0) - (startedAt ?? 0), 'it had its whole time').to.be.at.least(6_000)
    })

    it('sweeps what was frozen and never deployed once it is old', async () => {
      await worker.stop()
      worker = await start({ sweepMs: 1_000 })
      const record = await freeze()
      await resyncUntil('the frozen secret is swept', async () => !(await isThere(record)))
    })
  })
}
