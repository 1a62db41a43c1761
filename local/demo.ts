/** The sample of `npm start -- --demo`: a project and a service, made the way kubectl would make them. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClusterClient } from '../cluster/client.ts'
import { isConflict } from '../cluster/errors.ts'
import type { KubeObject } from '../cluster/object.ts'
import { coreTypes, type ResourceType } from '../cluster/resource-type.ts'
import { systemNamespace } from './install.ts'

const group = 'svc.svc.dev'
const version = 'v1alpha1'
const project = 'proj-5a391e00'
const environment = 'production'
const service = 'demo-hello'
const readyWithinMs = 60_000
const lookEveryMs = 300

const recordTypes = {
  project: { group, version, kind: 'SvcProject', plural: 'svcprojects', namespaced: true },
  service: { group, version, kind: 'SvcApp', plural: 'svcapps', namespaced: true },
} satisfies Record<string, ResourceType>

interface Conditioned extends KubeObject {
  status?: { conditions?: { type: string; status: string }[] }
}

interface KubeService extends KubeObject {
  spec?: { clusterIP?: string; ports?: { port: number }[] }
}

/** What is there already stays as it is: the user may have changed it. */
async function createOnce(client: ClusterClient, type: ResourceType, name: string, spec: object): Promise<void> {
  const record = { apiVersion: `${group}/${version}`, kind: type.kind, metadata: { name, namespace: systemNamespace }, spec }
  try {
    await client.create(type, record)
  } catch (error) {
    if (!isConflict(error) && !(await client.get({ type, namespace: systemNamespace, name }))) throw error
  }
}

async function isReady(client: ClusterClient): Promise<boolean> {
  const record = await client.get<Conditioned>({ type: recordTypes.service, namespace: systemNamespace, name: service })
  return record?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false
}

/** Where the service answers from this machine; a real node's addresses are routed here, simulated pods answer nobody. */
async function findAddress(client: ClusterClient): Promise<string | undefined> {
  const { spec } = (await client.get<KubeService>({ type: coreTypes.service, namespace: `${project}-${environment}`, name: service })) ?? {}
  const port = spec?.ports?.[0]?.port
  return spec?.clusterIP === undefined || port === undefined ? undefined : `http://${spec.clusterIP}:${port}`
}

/** Deploys the sample and waits for it; answers one line about it. Rejects when it is not ready within a minute. */
export async function deployDemo(client: ClusterClient, answers: boolean): Promise<string> {
  await createOnce(client, recordTypes.project, project, { displayName: 'demo', clusterRef: { name: 'default' }, environments: [environment] })
  const source = { image: { image: 'svc/hello:1' } }
  await createOnce(client, recordTypes.service, service, { project, environment, source, replicas: 2, deploy: { enabled: true } })
  for (const deadline = Date.now() + readyWithinMs; !(await isReady(client)); await sleep(lookEveryMs)) {
    if (Date.now() > deadline) throw new Error(`the sample is not ready after ${readyWithinMs / 1000} s; npx svc status ${service} says why`)
  }
  const address = answers ? await findAddress(client) : undefined
  return `the service ${service} of project demo is ready${address === undefined ? '' : ` at ${address}`}`
}
