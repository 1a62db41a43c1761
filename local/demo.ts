/** The sample of a first start: a project and a service, made through the same API as everyone's. */
import { createClient } from '../client/client.ts'
import { signInByPassword } from '../client/password-sign-in.ts'
import { waitForDeploy } from '../client/wait-for-deploy.ts'
import type { ClusterClient } from '../cluster/client.ts'
import type { KubeObject } from '../cluster/object.ts'
import { coreTypes } from '../cluster/resource-type.ts'
import { setTimeout as sleep } from 'node:timers/promises'

const displayName = 'demo'
const environment = 'production'
const service = 'hello'
const image = 'svc/hello:1'
const readyWithinMs = 60_000
const userAgent = 'svc-start'

export interface DemoOptions {
  /** Where the api answers. */
  readonly url: string
  /** The administrator's password; known at the very first start only. */
  readonly password: string | undefined
  /** Whether what runs on the cluster answers this machine: simulated pods answer nobody. */
  readonly answers: boolean
  readonly cluster: ClusterClient
}

interface KubeService extends KubeObject {
  spec?: { clusterIP?: string; ports?: { port: number }[] }
}

/** Where the service answers while no ingress gives it an address: a real node's addresses are routed here. */
async function findClusterAddress(cluster: ClusterClient, namespace: string): Promise<string | undefined> {
  const { spec } = (await cluster.get<KubeService>({ type: coreTypes.service, namespace, name: service })) ?? {}
  const port = spec?.ports?.[0]?.port
  return spec?.clusterIP === undefined || port === undefined ? undefined : `http://${spec.clusterIP}:${port}`
}

/** Deploys the sample and waits for it; answers one line about it. Rejects when it is not ready within a minute. */
export async function deployDemo({ url, password, answers, cluster }: DemoOptions): Promise<string> {
  if (password === undefined) return 'made at a first start only; make a service yourself with the commands below'
  const token = await signInByPassword({ baseUrl: url, username: 'admin', password, tokenName: 'sample of npm start', expiresInDays: 1, userAgent })
  const client = createClient({ baseUrl: url, token, userAgent })
  const { project } = await client.call('projects.create', {})
  await client.call('projects.settings-save', { project, displayName, environments: [environment] })
  await client.call('apps.create', { project, environment, name: service, image, replicas: 2, deploy: true })
  const { outcome, reason } = await waitForDeploy({
    client,
    app: service,
    timeoutMs: readyWithinMs,
    now: Date.now,
    sleep: async (ms) => {
      await sleep(ms)
    },
  })
  if (outcome !== 'complete') throw new Error(`the sample is not ready: ${reason}`)
  const { url: address } = await client.call('apps.status', { app: service })
  const reached = !answers ? undefined : address !== '' ? address : await findClusterAddress(cluster, `${project}-${environment}`)
  return `the service ${service} of project ${displayName} is ready${reached === undefined ? '' : ` at ${reached}`}`
}
