/**
 * Services whose releases are claimed to be in the Secrets of others: one with a history that is pruned, and some whose
 * failed deploys roll back.
 */
import { expect } from 'chai'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { type App, appSpec } from '../../kinds/apps/kind.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { createApp, deploy, type TestRecords, untilState } from '../harness/records.ts'
import type { TestWorker } from '../harness/worker.ts'
import type { Try } from './secret-cases.ts'
import { judged, writesStatus } from './secret-world.ts'

const place = (project: string) => ({ project, environment: 'production' })
const image = 'svc/hello:1'

const createDeployment = (
  { client }: TestRecords,
  { spec, status, ...metadata }: Partial<KubeObject['metadata']> & { name: string; spec: object; status?: object },
): Promise<KubeObject> =>
  client.create(resourceTypes.deployment, {
    apiVersion,
    kind: resourceTypes.deployment.kind,
    metadata: { namespace: systemNamespace, ...metadata },
    spec,
    ...(status === undefined ? {} : { status }),
  } as KubeObject)

/** Makes a history long enough to be pruned; its oldest records have the names of the Secrets. */
export async function pruneHistory(records: TestRecords, tries: readonly Try[]): Promise<void> {
  const [{ project, kept, foreign }] = releaseTries(tries)
  const app = await records.apps.create({
    apiVersion,
    kind: resourceTypes.app.kind,
    metadata: { name: kept, namespace: systemNamespace },
    spec: appSpec.parse({ ...place(project), source: { image: { image } } }),
  })
  for (let number = 10; number < 24; number += 1)
    await createDeployment(records, {
      name: `${kept}-f${number}`,
      labels: { [labels.app]: kept },
      spec: { ...place(project), app: kept, image },
      status: { phase: 'Recorded', startedAt: `2020-01-01T00:00:${number}Z` },
    })
  const oldest = { type: resourceTypes.deployment, namespace: systemNamespace, name: foreign }
  const written = (await records.client.get(oldest))?.metadata.uid
  // Another case claims the name for its attempt, and svc may have made that record anew by now.
  const isThere = async () => (await records.client.get(oldest))?.metadata.uid === written
  // A deploy prunes by the cache of its worker, which these records may not have reached: the next one does it then.
  for (let deploys = 0; deploys < 3 && (await isThere()); deploys += 1) {
    const accepted = await deploy(records, app)
    await untilState(records, accepted, 'ready', viewOf(accepted).attempt?.record)
  }
  expect(written, 'the record that is to be pruned').not.to.equal(undefined)
  expect(await isThere(), 'its history is not pruned').to.equal(false)
}

/**
 * Makes failed deploys roll back to releases whose frozen values are claimed to be in each of the Secrets; the names of
 * the services.
 */
export async function rollBack(records: TestRecords, worker: TestWorker, tries: readonly Try[]): Promise<string[]> {
  const failing = await Promise.all(releaseTries(tries).map((wanted) => makeFailing(records, wanted)))
  // A running worker would carry an attempt out before the status says that it has failed.
  process.kill(worker.pid, 'SIGSTOP')
  const failed = Promise.all(failing.map(({ app, id }) => failDeploy(records, app, id)))
  await failed.finally(() => process.kill(worker.pid, 'SIGCONT'))
  return failing.map(({ app }) => app.metadata.name)
}

function releaseTries(tries: readonly Try[]): [Try, ...Try[]] {
  const [first, ...others] = tries.filter(({ what }) => judged.release.some((each) => each === what))
  return [first ?? expect.fail('no Secret is taken for a release'), ...others]
}

async function makeFailing(records: TestRecords, { project, foreign, id }: Try): Promise<{ app: App; id: string }> {
  const app = await createApp(records, { metadata: { name: project } } as never, {
    deploy: { enabled: true, rollbackOnFailure: true },
  })
  await createDeployment(records, {
    name: `good-${id}`,
    annotations: { [annotations.release]: foreign, [annotations.releaseSpec]: JSON.stringify(app.spec) },
    spec: { ...place(project), app: app.metadata.name, image },
  })
  return { app, id }
}

async function failDeploy(records: TestRecords, { metadata: { name }, spec }: App, id: string): Promise<void> {
  const attempt = {
    record: `failed-${id}`,
    operation: 'deploy',
    actor: 'x',
    requestId: '',
    title: 'x',
    at: '2026-01-01T00:00:00Z',
  }
  const app = await records.apps.edit(name, (current) => ({
    ...current,
    metadata: {
      ...current.metadata,
      annotations: {
        [annotations.attempt]: JSON.stringify(attempt),
        [annotations.lastDeployed]: JSON.stringify(spec),
      },
    },
  }))
  const intent = viewOf(app ?? expect.fail('it is gone')).intent
  const lastAttempt = { id: attempt.record, phase: 'Failed', summary: 'x' }
  const status = { observedIntent: intent, acceptedIntent: intent, release: `good-${id}`, lastAttempt }
  await writesStatus(name, status)
}
