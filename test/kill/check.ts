/** The check after a batch of kills: all processes are back, no operation is under way, and every promise must hold. */
import { setTimeout as sleep } from 'node:timers/promises'
import { readFileSync } from 'node:fs'
import type { Crowd } from './crowd.ts'
import { formsOf, type Histories } from './histories.ts'
import { orphanBreaches } from './orphan-breaches.ts'
import { serviceBreaches } from './service-breaches.ts'
import type { World } from './world.ts'

/** Every breach that is still there after a grace time; a breach that passes by itself does not count. */
export async function breachesOf(
  world: World,
  crowd: Crowd,
  histories: Histories,
  { logFile, sweepMs }: { logFile: string; sweepMs: number },
): Promise<string[]> {
  const { client } = crowd.records
  await crowd.gatherSecrets()
  const cluster = await lookUntilNone(async () => {
    const services = await Promise.all(crowd.expected().map((expected) => serviceBreaches(client, expected)))
    return [
      ...services.flat(),
      ...(await crowd.breachesOutside()),
      ...(await strangers(crowd)),
      ...(await orphanBreaches(client, crowd.projects(), Date.now() - sweepMs)),
    ]
  })
  const runs = await lookUntilNone(async () => {
    await crowd.watch.gather()
    return crowd.watch.breaches(Date.now())
  })
  const open = await lookUntilNone(() => openRuns(world))
  const contradictions = await lookUntilNone(
    async () =>
      await histories
        .breaches(crowd.secrets)
        .then((found) => found.filter((breach) => !breach.endsWith('is still open'))),
  )
  const against = crowd.expected().flatMap((expected) => histories.against(expected))
  const log = readFileSync(logFile)
  const leaked = [...crowd.secrets].filter((secret) => formsOf(secret).some((form) => log.includes(form)))
  return [
    ...cluster,
    ...runs,
    ...open,
    ...contradictions,
    ...against,
    ...leaked.map(() => 'a worker or api printed a secret value'),
  ]
}

const waitMs = 30_000
const againMs = 500

async function lookUntilNone(look: () => Promise<string[]>): Promise<string[]> {
  for (const deadline = Date.now() + waitMs; ; await sleep(againMs)) {
    const breaches = await look()
    if (breaches.length === 0 || Date.now() > deadline) return breaches
  }
}

/** Services on the cluster that belong to no slot. */
async function strangers({ records, serviceProjects, expected }: Crowd): Promise<string[]> {
  const known = new Set(expected().map(({ name }) => name))
  const ours = new Set(serviceProjects)
  return records.apps.cache
    .list()
    .filter((app) => ours.has(app.spec.project) && !known.has(app.metadata.name))
    .map((app) => `${app.metadata.name} was deleted and is there`)
}

async function openRuns({ temporal }: World): Promise<string[]> {
  const open: string[] = []
  for await (const { workflowId } of temporal.workflow.list({ query: 'ExecutionStatus = "Running"' }))
    if (
      /^(app|build|pr|githost|project|database|logical-database|object-store|cloud-connection|backup)\//.test(
        workflowId,
      )
    )
      open.push(`${workflowId} is still open`)
  return open
}
