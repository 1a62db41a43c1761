/** The sample of a first start: a project and a service, created through the public API. */
import { type Client, createClient } from '../../client/client.ts'
import { signInByPassword } from '../../client/password-sign-in.ts'
import { waitForDeploy, type WaitOptions } from '../../client/wait/deploy.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { setTimeout as sleep } from 'node:timers/promises'

const displayName = 'demo'
export const environment = 'production'
const service = 'hello'
const image = 'svc/hello:1'
const readyWithinMs = 60_000
const userAgent = 'svc-start'

export interface DemoOptions {
  /** Base URL of the api. */
  readonly url: string
  /** The administrator's password; known at the very first start only. */
  readonly password: string | undefined
  /** Whether pods of the cluster answer requests from this machine; simulated pods never do. */
  readonly answers: boolean
  readonly cluster: ClusterClient
}

interface KubeService extends KubeObject {
  spec?: { clusterIP?: string; ports?: { port: number }[] }
}

/** The sample project, and the client that created it. */
export interface Demo {
  readonly client: Client
  readonly project: string
}

interface Sought extends Demo {
  readonly cluster: ClusterClient
  readonly service: string
}

/** The address of a service; without an ingress its cluster address, since those of a real node are routed here. */
export async function findAddress({ client, cluster, project, service: name }: Sought): Promise<string | undefined> {
  const { url } = await client.call('apps.status', { app: name })
  if (url !== '') return url
  const { spec } =
    (await cluster.get<KubeService>({ type: coreTypes.service, namespace: `${project}-${environment}`, name })) ?? {}
  const port = spec?.ports?.[0]?.port
  return spec?.clusterIP === undefined || port === undefined ? undefined : `http://${spec.clusterIP}:${port}`
}

/** Waits for the deploy of a sample. Rejects with one sentence if it fails, or is not ready in time. */
export async function untilDeployed(
  wait: Pick<WaitOptions, 'client' | 'app' | 'timeoutMs' | 'onStatus'>,
  sample: string,
): Promise<void> {
  const pause = async (ms: number): Promise<void> => {
    await sleep(ms)
  }
  const { outcome, reason } = await waitForDeploy({ ...wait, now: Date.now, sleep: pause })
  if (outcome !== 'complete') throw new Error(`${sample} is not ready: ${reason}`)
}

/** Deploys the sample and waits for it; returns one line about it. Rejects when it is not ready within a minute. */
export async function deployDemo({
  url,
  password,
  answers,
  cluster,
}: DemoOptions): Promise<{ line: string; demo?: Demo }> {
  if (password === undefined)
    return { line: 'made at a first start only; make a service yourself with the commands below' }
  const token = await signInByPassword({
    baseUrl: url,
    username: 'admin',
    password,
    tokenName: 'sample of npm start',
    expiresInDays: 1,
    userAgent,
  })
  const client = createClient({ baseUrl: url, token, userAgent })
  const { project } = await client.call('projects.create', {})
  await client.call('projects.settings-save', { project, displayName, environments: [environment] })
  await client.call('apps.create', { project, environment, name: service, image, replicas: 2, deploy: true })
  await untilDeployed({ client, app: service, timeoutMs: readyWithinMs }, 'the sample')
  const reached = answers ? await findAddress({ client, cluster, project, service }) : undefined
  return {
    line: `the service ${service} of project ${displayName} is ready${reached === undefined ? '' : ` at ${reached}`}`,
    demo: { client, project },
  }
}
