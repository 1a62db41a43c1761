/** Services from git as the benches of builds need them. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '../../client/client.ts'
import type { BenchRepository } from './repository.ts'

const pollMs = 20
const withinMs = 600_000

/** Makes a service of the repository, saved and not deployed. */
export async function createBuilt(
  client: Client,
  project: string,
  name: string,
  { address }: BenchRepository,
): Promise<void> {
  const place = { project, environment: 'production', name, cpu: '100m', memory: '64Mi' }
  await client.call('apps.create', { ...place, source: 'git', repository: address, branch: 'main', replicas: 1 })
}

/** The deploy that is the newest now; '' before the first. */
export const newestOf = async (client: Client, app: string): Promise<string> =>
  (await client.call('apps.status', { app })).lastAttempt?.id ?? ''

/** Resolves when a deploy after `former` has made the service ready; throws the sentence of one that failed. */
export async function untilBuilt(client: Client, app: string, former: string): Promise<void> {
  for (const deadline = Date.now() + withinMs; ; await sleep(pollMs)) {
    const { lastAttempt, state, message } = await client.call('apps.status', { app })
    const isNew = lastAttempt !== undefined && lastAttempt.id !== former
    if (isNew && lastAttempt.phase === 'Failed') throw new Error(`the build of ${app} failed: ${lastAttempt.summary}`)
    if (isNew && lastAttempt.phase === 'Succeeded' && state === 'ready') return
    if (Date.now() > deadline) throw new Error(`${app} is not ready: ${message}`)
  }
}
