/**
 * `npm run test:kill -- --runs N --seed S`: kills processes under load, one kill per seed, and checks after every ten
 * that all promises held.
 */
import { mkdtemp } from 'node:fs/promises'
import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { standardPolicy } from '../../durable/policy.ts'
import { whenAsked } from '../../one-machine/processes/index.ts'
import { atEnd, stopStack } from '../harness/stack.ts'
import { startAcceptor } from './acceptor.ts'
import { startApiCaller } from './api-caller.ts'
import { breachesOf } from './check.ts'
import { type Crowd, gatherCrowd } from './crowd.ts'
import { enumerate } from './enumerate.ts'
import { createHistories, type Histories } from './histories.ts'
import { type Kill, killOf } from './kills.ts'
import { killHelp, killOptions, type KillOptions, type Surface } from './options.ts'
import { openResults, type Result } from './results.ts'
import { startWorld, type World } from './world.ts'

const batchSize = 10
const leastGoingOn = 20
const services = 20
/** Together with the other slots, more than fifty operations are under way at their begin. */
const servicesOfReleases = 34
/** The most kills during one wave of operations. */
const mostHits = 4
const sweepMs = 20_000
// Long enough for a busy machine: a death is noticed late, but a living process must not count as dead.
const policy = {
  heartbeatMs: 3_000,
  workflowTaskMs: standardPolicy.workflowTaskMs,
  stickyMs: 1_000,
  attemptMs: 180_000,
  crashRestarts: 1,
  resyncMs: 10_000,
  cloudSettleMs: 15_000,
  domainRecheckMs: 1_000,
  domainPendingMs: 600_000,
  domainSlowMs: 2_000,
  sweepMs,
  runLookMs: 2_000,
  // One that sleeps is woken within it, also while servers are down.
  callMs: 60_000,
  ciNewsMs: 100,
}

type Done = Omit<Result, 'outcome' | 'breaches'>

/** Kills while at least twenty operations are under way; resolves when all killed processes are back. */
async function killOnce({ world, crowd, surface, releases }: Running, kill: Kill): Promise<Done> {
  const { seed, victims, manner, death, terminate, pod, afterMs, downMs } = kill
  const began = Date.now()
  await Promise.race([sleep(afterMs), crowd.untilOnly(leastGoingOn)])
  const goingOn = crowd.goingOn()
  if (terminate) {
    await terminateAll(world)
    crowd.watch.noteTermination(Date.now())
  }
  if (releases) await world.switchRelease(seed)
  const died = await world.strike(kill)
  await sleep(downMs)
  await world.bringBack()
  await crowd.watch.gather()
  console.log(`seed ${seed}: ${described(kill)}; ${goingOn} operations going on; back after ${Date.now() - began} ms`)
  return {
    at: new Date().toISOString(),
    surface,
    seed,
    victims,
    manner,
    terminate,
    ...(death === undefined ? {} : { death }),
    ...(pod === undefined ? {} : { pod }),
    died,
    goingOn,
  }
}

function described({ victims, manner, death, terminate, pod }: Kill): string {
  const how = death === undefined ? (victims.length > 1 ? ` ${manner}` : '') : ` ${death.when} write ${death.write}`
  const ended = terminate ? ', all runs terminated by hand' : ''
  return `${victims.join('+')}${how}${ended}${pod === undefined ? '' : `, the pod of a backup ${pod.manner}`}`
}

/** Terminates every open run, as an operator may at any time. */
async function terminateAll({ temporal }: World): Promise<void> {
  for await (const { workflowId, runId } of temporal.workflow.list({ query: 'ExecutionStatus = "Running"' })) {
    await temporal.workflow
      .getHandle(workflowId, runId)
      .terminate('by hand')
      .catch(() => undefined) // the run has just ended by itself
  }
}

async function runBatch(seeds: readonly number[], running: Running): Promise<Result[]> {
  const { world, crowd, histories, logFile, reported } = running
  const kills: Done[] = []
  let working: Promise<void> = Promise.resolve()
  let hits = 0
  for (const seed of seeds) {
    // The next kill hits the operations still under way, or else a new wave of operations.
    if (hits === mostHits || crowd.goingOn() < leastGoingOn) {
      await working
      hits = 0
      working = crowd.work(seed)
    }
    hits += 1
    kills.push(await killOnce(running, killOf(seed)))
  }
  await working
  await world.allBack()
  const breaches = [...reported.splice(0), ...(await breachesOf(world, crowd, histories, { logFile, sweepMs }))]
  return kills.map((kill) => ({ ...kill, outcome: breaches.length === 0 ? 'held' : 'broken', breaches }))
}

interface Running {
  world: World
  crowd: Crowd
  histories: Histories
  logFile: string
  /** Breaches that the crowd reported on the way. */
  reported: string[]
  surface: Surface
  releases: boolean
}

async function start({ surface, releases, services: wanted }: KillOptions): Promise<Running> {
  const logFile = join(await mkdtemp(join(tmpdir(), 'svc-kill-')), 'processes.log')
  writeFileSync(logFile, '')
  const reported: string[] = []
  const world = await startWorld({
    logFile,
    policy,
    startApi: surface === 'http' ? startApiCaller : startAcceptor,
    releases,
  })
  atEnd(() => world.temporal.connection.close())
  const crowd = await gatherCrowd(world, wanted ?? (releases ? servicesOfReleases : services), (breach) => {
    console.error(`  ${breach}`)
    reported.push(breach)
  })
  console.log(`what workers and apis print: ${logFile}`)
  return { world, crowd, histories: createHistories(world.temporal), logFile, reported, surface, releases }
}

/** True when everything held. */
async function killAtRandom(options: KillOptions): Promise<boolean> {
  const { runs, seed, results: file, resume, late, surface, releases } = options
  const results = openResults(file)
  const seeds = Array.from({ length: runs }, (_, run) => seed + run).filter(
    (each) => !resume || !results.held(each, surface),
  )
  console.log(`${seeds.length} kills from seed ${seed}; results are appended to ${file}`)
  const running = await start(options)
  let kills = 0
  for (let first = 0; first < seeds.length; first += batchSize) {
    const batch = await runBatch(seeds.slice(first, first + batchSize), running)
    results.append(batch)
    kills += batch.length
    if (releases) console.log(`${anewIn(running.logFile)} runs that did not fit were opened anew`)
    const breaches = batch[0]?.breaches ?? []
    if (breaches.length > 0) {
      const again = `--seed ${batch[0]?.seed} --runs ${batch.length}${late > 0 ? ` --late ${late}` : ''}${releases ? ' --releases' : ''}`
      console.error(`${breaches.join('\n')}\nbroken: again with npm run test:kill -- ${again}`)
      return false
    }
    console.log(
      `held after ${kills} kills: ${running.crowd.accepted()} requests accepted, ${running.histories.count} histories read, ${running.crowd.watch.arrived()} runs of schedules`,
    )
    console.log(`  ${running.crowd.backupSummary()}`)
  }
  return true
}

const anewIn = (logFile: string): number =>
  readFileSync(logFile, 'utf8').split('a run failed again and again').length - 1

async function killAtEveryWrite({ results: file }: KillOptions): Promise<boolean> {
  console.log(`results are appended to ${file}`)
  console.log(`held at all ${await enumerate(openResults(file))} writes`)
  return true
}

whenAsked(() => void stopStack().finally(() => process.exit(1)))

process.env['SVC_TEST_PATIENCE_MS'] ??= '240000'
const options = killOptions(process.argv.slice(2), Date.now())
if (options === undefined) {
  console.log(killHelp)
  process.exit(0)
}
if (options.late > 0) process.env['SVC_TEST_LATE_MS'] = String(options.late)
const held = await (options.enumerate ? killAtEveryWrite(options) : killAtRandom(options)).catch((error: unknown) => {
  console.error(error)
  return false
})
await stopStack()
process.exit(held ? 0 : 1)
