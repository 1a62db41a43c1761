/**
 * `node test/replay/record.ts [PATH…]`: runs every path on real servers and writes its history to `histories/`; run by
 * hand, after an intended change.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, Connection } from '@temporalio/client'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { resyncScheduleId } from '../../durable/ids.ts'
import { createProject, until, useRecords } from '../harness/records.ts'
import { startGitHub } from '../harness/github.ts'
import { atEnd, stopStack, useStack } from '../harness/stack.ts'
import { useWorker } from '../harness/worker.ts'
import { builderEnv } from '../workflows/build-world.ts'
import { startCopies } from '../workflows/schedule-world.ts'
import { paths } from './paths.ts'

const folder = join(import.meta.dirname, 'histories')
const lookEveryMs = 200

async function record(wanted: readonly string[]): Promise<void> {
  const github = await startGitHub()
  atEnd(() => github.stop())
  Object.assign(
    process.env,
    builderEnv,
    { SVC_GITHUB_URL: github.url, SVC_GITHUB_API_URL: github.url },
    (await startCopies()).env,
  )
  const { temporalAddress, temporalNamespace } = await useStack()
  const { workflow, schedule } = new Client({
    connection: await Connection.connect({ address: temporalAddress }),
    namespace: temporalNamespace,
  })
  const records = await useRecords()
  await useWorker()
  const project = await createProject(records)
  await until(
    records.projects,
    project,
    (found) => found?.status?.conditions?.some((it) => it.status === 'True') === true,
    'ready',
  )

  /** Visibility is eventually consistent: an end counts once it was seen twice. */
  const rest = async (id: string): Promise<void> => {
    for (let quiet = 0; quiet < 5; await sleep(lookEveryMs)) {
      const { count } = await workflow.count(`ExecutionStatus = "Running" AND WorkflowId STARTS_WITH "${id}"`)
      quiet = count === 0 ? quiet + 1 : 0
    }
  }
  const runsOf = async (id: string): Promise<{ workflowId: string; runId: string; historyLength: number }[]> => {
    const runs = []
    for await (const run of workflow.list({ query: `WorkflowId STARTS_WITH "${id}"` })) runs.push(run)
    return runs
  }
  let before = new Set<string>()
  const scene = {
    records,
    project,
    github,
    rest: async (id: string) => {
      await rest(id)
      before = new Set((await runsOf(id)).map((run) => run.runId))
    },
    resync: async () => {
      await schedule.getHandle(resyncScheduleId).trigger()
      while ((await runsOf(resyncScheduleId)).length === 0) await sleep(lookEveryMs)
    },
  }
  mkdirSync(folder, { recursive: true })
  for (const [name, path] of Object.entries(paths)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue
    before = new Set()
    const id = await path(scene)
    await rest(id)
    const runs = (await runsOf(id))
      .filter((run) => !before.has(run.runId))
      .toSorted((a, b) => b.historyLength - a.historyLength)
    const [longest] = runs
    if (longest === undefined) throw new Error(`${name} left no run of ${id}`)
    const history = await workflow.getHandle(longest.workflowId, longest.runId).fetchHistory()
    writeFileSync(
      join(folder, `${name}.json`),
      `${JSON.stringify(withoutTraces(JSON.parse(historyToJSON(history))), undefined, 1)}\n`,
    )
    console.log(`${name}: ${longest.historyLength} events of ${longest.workflowId}`)
  }
}

/** Removes stack traces and the identity of the process, which depend on the machine. */
function withoutTraces(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTraces)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]: [string, unknown]) => [
      key,
      key === 'stackTrace' ? '' : key === 'identity' ? 'svc' : withoutTraces(inner),
    ]),
  )
}

try {
  await record(process.argv.slice(2))
} finally {
  await stopStack()
}
process.exit(0)
