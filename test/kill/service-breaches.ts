/** What must hold for a service once all accepted operations have ended, read from the live cluster alone. */
import type { V1ConfigMap } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject, Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { type DeploymentView, healthOf, releaseOf } from '../../kinds/apps/assess/health.ts'
import type { PodView } from '../../kinds/pods/trouble.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { targetNamespace } from '../../kinds/apps/spec/place.ts'
import { appState } from '../../kinds/apps/state.ts'
import type { Deployment } from '../../kinds/deployments/kind.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { deploymentRecordsKept } from '../../contract/limits.ts'
import { readAttemptLog } from '../../records/deployments/read-attempt-log.ts'
import { acceptedIn } from '../../records/store/attempt-history.ts'
import { stepsOf } from '../../records/store/success-steps.ts'

/** What was accepted by the answers to the driver. */
export interface Expected {
  name: string
  /** 'ready' or 'failed' after its last deploy; 'draft' when there was none. */
  state: 'ready' | 'failed' | 'draft'
  image: string
  replicas: number
  /** Plain variables of the last deploy. */
  config: Readonly<Record<string, string>>
  /** Secret variables of the last deploy, in plain. */
  secrets: Readonly<Record<string, string>>
  /** Record names of every accepted attempt since the service was created; the last one is the effective one. */
  attempts: readonly string[]
}

type LiveDeployment = KubeObject &
  DeploymentView & {
    spec: {
      replicas?: number
      template: {
        spec: {
          containers: { image: string; envFrom?: { secretRef?: { name: string }; configMapRef?: { name: string } }[] }[]
        }
      }
    }
  }
type LivePod = KubeObject & PodView
type Data = Sent<V1ConfigMap>

/** Sentences about what is wrong; empty when nothing is. */
export async function serviceBreaches(client: ClusterClient, expected: Expected): Promise<string[]> {
  const app = await client.get<App>({ type: resourceTypes.app, namespace: systemNamespace, name: expected.name })
  if (app === undefined) return [`${expected.name}: the record is gone`]
  const breaches = [...recordBreaches(app, expected), ...(await historyBreaches(client, app, expected))]
  const spec = viewOf(app).effectiveSpec
  if (expected.state === 'ready' && spec !== undefined)
    breaches.push(...(await copiesBreaches(client, app, spec, expected)))
  return breaches.map((breach) => `${expected.name}: ${breach}`)
}

function recordBreaches(app: App, expected: Expected): string[] {
  const { state, message } = appState(app)
  const spec = viewOf(app).effectiveSpec ?? app.spec
  const last = app.status?.lastAttempt
  const newest = viewOf(app).attempt?.record
  const wanted = expected.attempts.at(-1)
  return said([
    [viewOf(app).plan.story === 'rest', `still asks for ${viewOf(app).plan.story}`],
    [state === expected.state, `is ${state} (${message}) instead of ${expected.state}`],
    [newest === wanted, `deploys attempt ${newest} instead of ${wanted}`],
    [last?.id === wanted, `reports attempt ${last?.id} instead of ${wanted}`],
    [
      wanted === undefined || last?.phase === (expected.state === 'ready' ? 'Succeeded' : 'Failed'),
      `its last attempt is ${last?.phase} while the service is ${expected.state}`,
    ],
    [
      spec.source.image?.image === expected.image,
      `asks for image ${spec.source.image?.image} instead of ${expected.image}`,
    ],
    [spec.replicas === expected.replicas, `asks for ${spec.replicas} copies instead of ${expected.replicas}`],
  ])
}

/** Every accepted attempt has a record, within the history limit, and a log that has one beginning and one end. */
async function historyBreaches(client: ClusterClient, app: App, { attempts }: Expected): Promise<string[]> {
  const { items } = await client.list<Deployment>(resourceTypes.deployment, {
    namespace: systemNamespace,
    labelSelector: `${labels.app}=${app.metadata.name}`,
  })
  const names = items.map((record) => record.metadata.name)
  const breaches = said([
    [
      items.every((record) => record.metadata.labels?.[labels.owner] === app.metadata.uid),
      'has records of another service of its name',
    ],
    [
      names.every((name) => attempts.includes(name)),
      `has records that were not asked for: ${names.filter((name) => !attempts.includes(name)).join()}`,
    ],
    [names.length <= deploymentRecordsKept, `keeps ${names.length} records`],
  ])
  for (const record of attempts.slice(-deploymentRecordsKept)) {
    const kept = items.find(({ metadata }) => metadata.name === record)
    if (kept === undefined) breaches.push(`attempt ${record} has no record`)
    const logged = (await readAttemptLog(client, record))?.steps ?? []
    const steps = stepsOf(app, record, kept && acceptedIn(kept), logged)
    const ends = steps.filter((step) => /^\S+ (Succeeded|Failed):/.test(step))
    const begins = steps.filter((step) => /^\S+ accepted:/.test(step))
    if (begins.length !== 1)
      breaches.push(`the log of ${record} has ${begins.length} beginnings: ${begins.join(' | ')}`)
    if (ends.length !== 1) breaches.push(`the log of ${record} has ${ends.length} ends: ${ends.join(' | ')}`)
  }
  return breaches
}

/** Exactly one release runs, the effective one, with its own configuration and secrets; no older one is left. */
async function copiesBreaches(client: ClusterClient, app: App, spec: AppSpec, expected: Expected): Promise<string[]> {
  const namespace = targetNamespace(spec)
  const mine = { namespace, labelSelector: `${labels.owner}=${app.metadata.uid ?? ''}` }
  const [deployments, pods, services, accounts, configs, secrets] = await Promise.all([
    client.list<LiveDeployment>(coreTypes.deployment, mine),
    client.list<LivePod>(coreTypes.pod, mine),
    client.list<KubeObject>(coreTypes.service, mine),
    client.list<KubeObject>(coreTypes.serviceAccount, mine),
    client.list<Data>(coreTypes.configMap, mine),
    client.list<Data>(coreTypes.secret, mine),
  ])
  const deployment = deployments.items[0]
  const container = deployment?.spec.template.spec.containers[0]
  const release = deployment?.metadata.annotations?.[annotations.release]
  const living = pods.items.filter((pod) => pod.metadata.deletionTimestamp === undefined)
  const secret = expected.attempts.length === 0 ? undefined : viewOf(app).attempt?.release
  return said([
    [deployments.items.length === 1, `has ${deployments.items.length} deployments`],
    [
      services.items.length === 1 && accounts.items.length === 1,
      `has ${services.items.length} services and ${accounts.items.length} accounts`,
    ],
    [release === expected.attempts.at(-1), `runs release ${release} instead of ${expected.attempts.at(-1)}`],
    [container?.image === expected.image, `runs image ${container?.image} instead of ${expected.image}`],
    [living.length === expected.replicas, `has ${living.length} pods instead of ${expected.replicas}`],
    [living.every((pod) => releaseOf(pod) === release), 'has pods of another release'],
    [healthOf(deployment, living).ready, `its copies are not ready: ${healthOf(deployment, living).message}`],
    [
      same(configs.items, Object.keys(expected.config).length === 0 ? undefined : expected.attempts.at(-1)),
      `has configuration ${namesOf(configs.items)}`,
    ],
    [same(secrets.items, secret), `has secrets ${namesOf(secrets.items)} instead of ${secret}`],
    [
      canonicalData(configs.items[0]?.data ?? {}) === canonicalData(expected.config),
      'runs with other variables than those deployed',
    ],
    [
      canonicalData(decoded(secrets.items[0]?.data ?? {})) === canonicalData(expected.secrets),
      'runs with other secret values than those deployed',
    ],
  ])
}

function said(rules: readonly (readonly [holds: boolean, otherwise: string])[]): string[] {
  return rules.filter(([holds]) => !holds).map(([, otherwise]) => otherwise)
}

const namesOf = (items: readonly KubeObject[]): string => items.map((item) => item.metadata.name).join()
const same = (items: readonly KubeObject[], name: string | undefined): boolean => namesOf(items) === (name ?? '')
const canonicalData = (data: Readonly<Record<string, string>>): string =>
  JSON.stringify(Object.entries(data).sort(([a], [b]) => (a < b ? -1 : 1)))
const decoded = (data: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]))
