/** `npm run bench`: measures svc against its peers in one run, prints a table and writes it to bench/results. */
import { constants } from 'node:os'
import { whenAsked } from '../one-machine/processes/index.ts'
import { backups } from './backups/backups.ts'
import { agents } from './mcp/agents.ts'
import { buildsAtOnce } from './builds/at-once.ts'
import { pushToReady } from './builds/push-to-ready.ts'
import { bootstrap } from './reads/bootstrap.ts'
import { buckets } from './writes/buckets.ts'
import { burst, redeploys } from './writes/burst.ts'
import { databaseToConnection } from './writes/database-to-connection.ts'
import { deployToReady } from './writes/deploy-to-ready.ts'
import { coldWake } from './functions/cold-wake.ts'
import { functionToAnswer } from './functions/first-answer.ts'
import { idleSchedules } from './functions/idle-schedules.ts'
import { lateness } from './functions/lateness.ts'
import { idle } from './rest/idle.ts'
import { asTable, type Line } from './rig/line.ts'
import { listeners } from './reads/listeners.ts'
import { logicalDatabases, restingLogicalDatabases } from './writes/logical-databases.ts'
import { large } from './rest/large.ts'
import { memory } from './rest/memory.ts'
import { mixedReads } from './reads/mixed-reads.ts'
import { pages } from './pages/pages.ts'
import { benchHelp, type BenchOptions, readBenchOptions } from './options.ts'
import { reads } from './reads/reads.ts'
import { loadNow, type LoadNote, writeReport } from './report.ts'
import { resume } from './writes/resume.ts'
import { twoWorkers } from './writes/two-workers.ts'
import { startUp } from './rest/start-up.ts'
import { waitEnd } from './writes/wait-end.ts'
import { storedReads } from './reads/stored-reads.ts'
import { strangers } from './reads/strangers.ts'
import { createPopulation, type Population } from './rig/population.ts'
import { type Rig, startRig } from './rig/rig.ts'

const say = (line: string): void => void process.stderr.write(`${line}\n`)

interface Bench {
  readonly number: number
  readonly name: string
  /** Takes too long for a run of all, or needs a real node. */
  readonly onlyWhenNamed?: boolean
  run(rig: Rig, population: Population, options: BenchOptions): Promise<Line[]>
}

/** In the order they run: those that want an empty platform first, then each adds services to those that are there. */
const benches: readonly Bench[] = [
  { number: 18, name: '18 start-up', run: ({ folder }, _, options) => startUp(folder, options) },
  { number: 1, name: '1 deploy to ready', run: (rig, _, options) => deployToReady(rig, options) },
  { number: 12, name: '12 database to connection', run: (rig, _, options) => databaseToConnection(rig, options) },
  { number: 19, name: '19 end of --wait', run: (rig, _, options) => waitEnd(rig, options) },
  { number: 2, name: '2 burst', run: burst },
  { number: 4, name: '4 idle', run: idle },
  { number: 6, name: '6 memory', run: memory },
  { number: 15, name: '15 redeploys', run: redeploys },
  { number: 3, name: '3 reads', run: (rig, _, options) => reads(rig, options) },
  { number: 7, name: '7 bootstrap', run: (rig, _, options) => bootstrap(rig, options) },
  { number: 8, name: '8 mixed reads', run: (rig, _, options) => mixedReads(rig, options) },
  { number: 9, name: '9 listeners', run: (rig, _, options) => listeners(rig, options) },
  { number: 11, name: '11 logical databases', run: (rig, _, options) => logicalDatabases(rig, options) },
  { number: 13, name: '13 resting logical databases', run: (rig, _, options) => restingLogicalDatabases(rig, options) },
  { number: 14, name: '14 strangers', run: (rig, _, options) => strangers(rig, options) },
  { number: 16, name: '16 large', onlyWhenNamed: true, run: large },
  { number: 17, name: '17 agents', run: (rig, _, options) => agents(rig, options) },
  { number: 20, name: '20 pages', run: (rig, _, options) => pages(rig, options) },
  {
    number: 21,
    name: '21 function to answer',
    onlyWhenNamed: true,
    run: (rig, _, options) => functionToAnswer(rig, options),
  },
  { number: 22, name: '22 cold wake', onlyWhenNamed: true, run: (rig, _, options) => coldWake(rig, options) },
  { number: 25, name: '25 push to ready', onlyWhenNamed: true, run: (rig, _, options) => pushToReady(rig, options) },
  { number: 26, name: '26 builds at once', onlyWhenNamed: true, run: (rig, _, options) => buildsAtOnce(rig, options) },
  { number: 23, name: '23 lateness of schedules', run: (rig, _, options) => lateness(rig, options) },
  { number: 24, name: '24 idle schedules', run: (rig, _, options) => idleSchedules(rig, options) },
  { number: 27, name: '27 backups', onlyWhenNamed: true, run: (rig, _, options) => backups(rig, options) },
  { number: 28, name: '28 stored reads', onlyWhenNamed: true, run: (rig, _, options) => storedReads(rig, options) },
  { number: 29, name: '29 two workers', run: twoWorkers },
  { number: 5, name: '5 resume', run: (rig, _, options) => resume(rig, options) },
  { number: 10, name: '10 buckets', run: (rig, population, options) => buckets(rig, population.project, options) },
]

/** A bench that fails is reported and does not take the others' measurements with it. */
async function measure(rig: Rig, options: BenchOptions): Promise<{ lines: Line[]; load: LoadNote[]; failed: boolean }> {
  const population = await createPopulation(rig)
  const lines: Line[] = []
  const load: LoadNote[] = []
  let failed = false
  for (const bench of benches) {
    const isWanted = options.only.length === 0 ? bench.onlyWhenNamed !== true : options.only.includes(bench.number)
    if (!isWanted) continue
    say(`bench ${bench.name} …`)
    const before = loadNow()
    const measured = await bench.run(rig, population, options).catch((error: unknown) => {
      failed = true
      say(`bench ${bench.name} failed: ${error instanceof Error ? error.message : String(error)}`)
      return []
    })
    load.push({ bench: bench.name, before, after: loadNow() })
    for (const line of measured) say(`  ${line.work}`)
    lines.push(...measured)
  }
  return { lines, load, failed }
}

/** A simulated node takes 5,000 pods; a rollout has more of them than services for a moment. */
const nodesFor = (services: number): number => Math.max(2, Math.ceil(services / 2500))

async function main(): Promise<void> {
  const options = readBenchOptions(process.argv.slice(2))
  if (options === 'help') return void process.stdout.write(benchHelp)
  const began = new Date()
  const rig = await startRig(options.cluster, nodesFor(options.services), say)
  let interrupted = false
  whenAsked((signal) => {
    interrupted = true
    void rig.stop().finally(() => process.exit(128 + constants.signals[signal]))
  })
  try {
    const { lines, load, failed } = await measure(rig, options)
    if (interrupted) return // what was measured while the servers went down is worth nothing
    process.stdout.write(`${asTable(lines)}\n`)
    if (!options.quick) say(`written to ${writeReport({ began, cluster: options.cluster, lines, load })}`)
    if (failed) process.exitCode = 1
  } finally {
    await rig.stop()
  }
}

try {
  await main()
} catch (error) {
  say(`bench: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  process.exit(1)
}
