/**
 * Bench 12: from asking for the deploy of a database draft until its connection can be read, against kubectl, by turns.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiError } from '../../client/api-error.ts'
import type { Client } from '../../client/client.ts'
import type { Line } from '../rig/line.ts'
import { createDatabasePeer } from '../peers/kubectl-database.ts'
import type { Rig } from '../rig/rig.ts'
import { createProject } from '../rig/services.ts'
import { describeMs, median } from '../rig/statistics.ts'

const environment = 'production'
const rounds = { full: 12, quick: 2 }
const pollMs = 10
const withinMs = 120_000
const restMs = 600
const goal = 1.2

export async function databaseToConnection(
  rig: Rig,
  { quick, cluster }: { quick: boolean; cluster: 'simulated' | 'node' },
): Promise<Line[]> {
  const project = await createProject(rig.client)
  const first = await draft(rig.client, project, 0)
  await deploy(rig.client, first)
  const kubectl = await createDatabasePeer(rig.stack.kubeconfig, rig.folder, {
    namespace: `${project}-${environment}`,
    name: first,
  })
  const own: number[] = []
  const peer: number[] = []
  for (let round = 1; round <= (quick ? rounds.quick : rounds.full); round += 1) {
    const name = await draft(rig.client, project, round)
    await sleep(restMs)
    own.push(await deploy(rig.client, name))
    await sleep(restMs)
    peer.push(await kubectl.make(round))
  }
  return [
    {
      bench: 12,
      work: `postgres from draft to a connection that can be read, ${cluster} nodes: ${describeMs(own)}`,
      peer: `kubectl apply + rollout status of the same objects: ${describeMs(peer)}`,
      ratio: median(own) / median(peer),
      goal: { atMost: goal },
      samples: { svcMs: own, kubectlMs: peer },
    },
  ]
}

async function draft(client: Client, project: string, round: number): Promise<string> {
  return (
    await client.call('databases.create', {
      project,
      environment,
      name: `bench-db-${round}`,
      engine: 'postgres',
      storageSize: '1Gi',
      cpu: '50m',
      memory: '64Mi',
    })
  ).name
}

/** Resolves with the milliseconds it took. */
async function deploy(client: Client, db: string): Promise<number> {
  const began = performance.now()
  await client.call('databases.deploy', { db })
  for (const deadline = Date.now() + withinMs; !(await isUsable(client, db)); await sleep(pollMs)) {
    if (Date.now() > deadline) throw new Error(`database ${db} did not get ready`)
  }
  return performance.now() - began
}

async function isUsable(client: Client, db: string): Promise<boolean> {
  const { resource } = await client.call('databases.get', { db })
  if (resource.state === 'failed') throw new Error(`database ${db} failed: ${resource.message}`)
  if (resource.state !== 'ready') return false
  try {
    return (await client.call('databases.connection', { db })).host !== ''
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return false // no connection details yet
    throw error
  }
}
