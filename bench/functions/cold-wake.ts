/** Bench 22: a request that wakes a sleeping service on a real node, against a copy that is started by hand. */
import { request } from 'undici'
import { setTimeout as sleep } from 'node:timers/promises'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { type ClusterClient, connectCluster } from '../../cluster/client.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { Line } from '../rig/line.ts'
import type { Rig } from '../rig/rig.ts'
import { createProject } from '../rig/services.ts'
import { describeMs, median } from '../rig/statistics.ts'
import { firstAnswer } from './answers.ts'

const name = 'cold-wake'
const host = 'cold-wake.example.com'
const goal = 2
const pollMs = 200
const withinMs = 120_000

export async function coldWake(rig: Rig, { quick }: { quick: boolean }): Promise<Line[]> {
  const { node, kubeconfig } = rig.stack
  if (node === undefined) throw new Error('the bench needs a real node')
  await node.serverless.make(() => undefined)
  const cluster = connectCluster({ kubeconfig })
  try {
    const { woken, byHand } = await measure(rig, cluster, `http://${node.interceptor}/`, quick ? 2 : 15)
    return [
      {
        bench: 22,
        work: `a request to a sleeping service, to the first byte of its answer: ${describeMs(woken)}`,
        peer: `a copy started by hand, to its first answer: ${describeMs(byHand)}`,
        ratio: median(woken) / median(byHand),
        goal: { atMost: goal },
        samples: { wokenMs: woken, byHandMs: byHand },
      },
    ]
  } finally {
    await cluster.close()
  }
}

async function measure({ client }: Rig, cluster: ClusterClient, interceptor: string, rounds: number) {
  const project = await createProject(client)
  const namespace = `${project}-production`
  await client.call('apps.create', { project, environment: 'production', name, image: 'svc/hello:1', host })
  await client.call('apps.update', { app: name, readinessPath: '/healthz', deploy: true })
  await until('it is ready', async () => (await client.call('apps.status', { app: name })).state === 'ready')
  const scale = (replicas: number) =>
    cluster.patch({ type: coreTypes.deployment, namespace, name }, { spec: { replicas } }, { subresource: 'scale' })
  /** As the scaler does after the time of idleness. */
  const asleep = async (): Promise<void> => {
    await scale(0)
    const isGone = async () => (await cluster.list<KubeObject>(coreTypes.pod, { namespace })).items.length === 0
    await until('its copy is gone', isGone)
  }
  // By turns, and only once the service may sleep: svc undoes what is scaled by hand where it may not.
  await client.call('apps.update', { app: name, scaleToZero: true })
  const mayIt = async () => (await client.call('apps.status', { app: name })).scaleToZero?.active === true
  await until('it may sleep', mayIt)
  const [woken, byHand]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    await asleep()
    const scaledAt = performance.now()
    await scale(1)
    byHand.push((await firstAnswer(cluster, namespace, name)) - scaledAt)
    await asleep()
    const askedAt = performance.now()
    const answer = await request(interceptor, { headers: { host } })
    woken.push(performance.now() - askedAt)
    await answer.body.dump()
    if (answer.headers['x-keda-http-cold-start'] !== 'true') throw new Error('the service was awake')
  }
  return { woken, byHand }
}

async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const deadline = performance.now() + withinMs; !(await holds()); await sleep(pollMs))
    if (performance.now() > deadline) throw new Error(`not in time: ${what}`)
}
