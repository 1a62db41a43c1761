/** Kills a worker at every write of every scenario, while twenty other services are being deployed. */
import type { Project } from '../../kinds/projects/kind.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import type { App } from '../../kinds/apps/kind.ts'
import {
  createApp,
  createProject,
  deploy,
  wakeWith,
  type TestRecords,
  until,
  untilState,
  useRecords,
} from '../harness/records.ts'
import { dieAt, elsewhere, killPolicy, type Point, startMortalWorker, scenarios } from './enumerated.ts'
import type { MortalProcess } from './mortal-process.ts'
import { orphanBreaches } from './orphan-breaches.ts'
import { serviceBreaches } from './service-breaches.ts'
import type { Results } from './results.ts'

const companions = 20
const surface = 'enumerated'

interface Enumeration {
  records: TestRecords
  project: Project
  others: readonly App[]
  worker: MortalProcess
}

async function start(): Promise<Enumeration> {
  const records = await useRecords()
  wakeWith(killPolicy)
  const worker = await startMortalWorker()
  const project = await createProject(records, { environments: ['production', elsewhere] })
  await until(
    records.projects,
    project,
    (record) => record?.status?.conditions?.some((it) => it.status === 'True') === true,
    'ready',
  )
  const others = await Promise.all(Array.from({ length: companions }, () => createApp(records, project)))
  return { records, project, others, worker }
}

/** False when the scenario has no such write. Throws with every breach. */
async function killAt(point: Point, running: Enumeration, results: Results, seed: number): Promise<boolean> {
  const { records, project, others } = running
  const attempts = new Map<App, string | undefined>()
  const meanwhile = async (): Promise<void> => {
    await Promise.all(
      others.map(async (app) => void attempts.set(app, viewOf(await deploy(records, app)).attempt?.record)),
    )
  }
  const { died, worker, expected } = await dieAt(point, records, project, running.worker, meanwhile)
  running.worker = worker
  await Promise.all([...attempts].map(([app, attempt]) => untilState(records, app, 'ready', attempt)))
  const breaches = [
    ...(expected === undefined ? [] : await serviceBreaches(records.client, expected)),
    ...(await orphanBreaches(records.client, [project.metadata.name])),
  ]
  const { when, write, scenario } = point
  const outcome = breaches.length === 0 ? 'held' : 'broken'
  if (died)
    results.append([
      {
        at: new Date().toISOString(),
        surface,
        seed,
        victims: ['worker'],
        manner: 'together',
        terminate: false,
        death: { when, write },
        died: 1,
        goingOn: companions + 1,
        outcome,
        breaches: breaches.map((breach) => `${scenario}: ${breach}`),
      },
    ])
  if (breaches.length > 0) throw new Error(`${when} write ${write} of ${scenario}:\n${breaches.join('\n')}`)
  return died
}

/** Resolves with the number of kills. */
export async function enumerate(results: Results): Promise<number> {
  const running = await start()
  let kills = 0
  for (const scenario of Object.keys(scenarios) as Point['scenario'][]) {
    for (const when of ['before', 'after'] as const) {
      for (let write = 1; await killAt({ scenario, when, write }, running, results, kills); write += 1) {
        kills += 1
        console.log(`${when} write ${write} of ${scenario}: held`)
      }
    }
  }
  return kills
}
