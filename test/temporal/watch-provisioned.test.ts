/**
 * The watch of databases and projects reports an object that disappeared once, and reports it as due while it is gone.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { silentLog } from '../../cluster/objects/log.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { annotations, labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { connectionPurpose, connectionSecretName } from '../../kinds/secrets/connection-secret.ts'
import { type Database, databaseSpec } from '../../kinds/databases/kind.ts'
import { effectiveDatabaseSpec } from '../../kinds/databases/draft.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import { type Project, projectSpec } from '../../kinds/projects/kind.ts'
import { projectIntent } from '../../kinds/projects/intent.ts'
import { provisionIntent } from '../../kinds/provision/state.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { watchedKinds } from '../../temporal/watch/watch-provisioned.ts'
import { WakeQueue } from '../../temporal/watch/wake-queue.ts'
import { watchProjects } from '../../temporal/watch/watch-projects.ts'
import type { Watch } from '../../temporal/watch/watch.ts'
import { createWorkerCaches, type WorkerCaches } from '../../temporal/caches/worker-caches.ts'
import { eventually } from '../cluster/eventually.ts'
import { recordedCluster } from './recorded-cluster.ts'

const [name, project, environment] = ['calm-otter', 'proj-00000001', 'production'] as const
const namespace = namespaceOf(project, environment)
const ready = {
  type: 'Ready',
  status: 'True' as const,
  reason: 'Ready',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
}

/** An external database, so that its connection Secret is its only object on the cluster. */
function readyDatabase(): Database {
  const spec = databaseSpec.parse({
    project,
    environment,
    engine: 'postgres',
    placement: 'External',
    mode: 'Connect',
    deploy: { enabled: true },
  })
  const database: Database = {
    apiVersion,
    kind: 'SvcDatabase',
    metadata: {
      name,
      namespace: systemNamespace,
      uid: 'uid-1',
      annotations: { [annotations.lastDeployed]: JSON.stringify(spec) },
    },
    spec,
  }
  const intent = provisionIntent(database, effectiveDatabaseSpec(database))
  return {
    ...database,
    status: {
      observedIntent: intent,
      acceptedIntent: intent,
      connectionSecret: connectionSecretName(name),
      conditions: [ready],
    },
  }
}

const reconciledProject: Project = {
  apiVersion,
  kind: 'SvcProject',
  metadata: { name: project, namespace: systemNamespace, uid: 'uid-2' },
  spec: projectSpec.parse({ environments: [environment] }),
  status: { conditions: [ready], environments: [{ name: environment, namespace, phase: 'Ready' }] },
}

const readyProject: Project = {
  ...reconciledProject,
  status: { ...reconciledProject.status, observedIntent: projectIntent(reconciledProject) },
}

const ours = { [labels.managedBy]: managedBySvc, [labels.project]: project, [labels.environment]: environment }
const secret: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: connectionSecretName(name),
    namespace,
    labels: { ...ours, [labels.owner]: 'uid-1', [labels.purpose]: connectionPurpose },
  },
}
const place: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels: ours } }

describe('the watch of what is provisioned', () => {
  const sent: string[] = []
  const cluster = recordedCluster()
  let caches: WorkerCaches
  let queue: WakeQueue
  let watches: readonly Watch[]

  before(async () => {
    cluster.put(resourceTypes.database, readyDatabase())
    cluster.put(resourceTypes.project, readyProject)
    cluster.put(coreTypes.secret, secret)
    cluster.put(coreTypes.namespace, place)
    caches = createWorkerCaches(cluster.client, silentLog)
    await caches.start()
    queue = new WakeQueue(async (kind, woken, wake) => {
      await Promise.resolve()
      sent.push(`${kind}/${woken} ${wake.reason}`)
    }, silentLog)
    const kinds = watchedKinds(caches)
    watches = [watchProjects(caches, queue), ...kinds.map((kind) => kind.watch(kinds, queue, caches))]
  })
  beforeEach(() => void sent.splice(0))
  after(async () => {
    for (const watch of watches) watch.stop()
    queue.stop()
    await caches.stop()
  })

  const quiet = () => sleep(700) // more than two debounce windows
  const due = () =>
    [name, project].flatMap((of) =>
      watches.flatMap((watch) => {
        const missing = watch.missingOf(of)
        return missing === undefined ? [] : [`${watch.kind}/${of} ${missing}`]
      }),
    )

  it('wakes no record whose objects are all there', async () => {
    await quiet()
    expect(sent).to.deep.equal([])
    expect(due()).to.deep.equal([])
  })

  it('wakes a database whose Secret went away once; that is due until it is back', async () => {
    const missing = `database/${name} it lacks Secret ${name}-connection`
    cluster.remove(coreTypes.secret, secret)
    await quiet()
    cluster.put(resourceTypes.database, {
      ...readyDatabase(),
      metadata: { ...readyDatabase().metadata, labels: { touched: 'yes' } },
    })
    await quiet()
    expect(sent).to.deep.equal([missing])
    expect(due()).to.deep.equal([missing])
    cluster.put(coreTypes.secret, secret)
    await quiet()
    expect(sent).to.deep.equal([missing])
    expect(due()).to.deep.equal([])
  })

  it('wakes a database again whose Secret is made and goes away once more within one window', async () => {
    const missing = `database/${name} it lacks Secret ${name}-connection`
    cluster.remove(coreTypes.secret, secret)
    await eventually('the first loss wakes it', () => sent.length === 1)
    cluster.put(coreTypes.secret, secret)
    await sleep(20)
    cluster.remove(coreTypes.secret, secret)
    await quiet()
    expect(sent).to.deep.equal([missing, missing])
    cluster.put(coreTypes.secret, secret)
    await quiet()
  })

  it('wakes a project whose namespace was deleted, as a worker that starts does, until it is back', async () => {
    const missing = `project/${project} namespace ${namespace} is gone`
    const toProjects = () => sent.filter((line) => line.startsWith('project/'))
    cluster.remove(coreTypes.namespace, place)
    await quiet()
    expect(toProjects()).to.deep.equal([missing])
    expect(due()).to.deep.equal([missing])
    watchProjects(caches, queue).stop()
    await quiet()
    expect(toProjects()).to.deep.equal([missing, missing])
    cluster.put(coreTypes.namespace, place)
    await quiet()
    expect(due()).to.deep.equal([])
  })
})
