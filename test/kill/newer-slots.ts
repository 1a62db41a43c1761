/**
 * The callers of a kill run whose services are functions, sleep when idle, or are built from git, also for pull
 * requests, and the functions whose schedules are watched.
 */
import { githubApp } from '../harness/github.ts'
import { createProject, type TestRecords, until } from '../harness/records.ts'
import { BuildSlot } from './build-slot.ts'
import type { Caller } from './caller.ts'
import { FunctionSlot } from './function-slot.ts'
import { installation, repositoryOf } from './git-host.ts'
import { PullRequestSlot } from './pull-request-slot.ts'
import { openScheduleWatch, type ScheduleWatch } from './schedule-watch.ts'
import { chanceFrom } from './seeded.ts'
import { deployForGood, draftOf } from './service-slot.ts'
import { SleepSlot } from './sleep-slot.ts'
import type { World } from './world.ts'

const functionSlotCount = 3
const sleepSlotCount = 3
const buildSlotCount = 3
/** The services of the base of pull requests: one that is built, and one of an image. */
const base = { built: 'base-built', plain: 'base-plain' } as const

export interface NewerSlots {
  slots: readonly Caller[]
  /** Names of their projects. */
  projects: readonly string[]
  watch: ScheduleWatch
  /** Of builds. */
  breaches(): Promise<string[]>
  /** Values that may be readable nowhere. */
  secrets(): readonly string[]
}

export async function openNewerSlots(
  world: World,
  records: TestRecords,
  report: (breach: string) => void,
): Promise<NewerSlots> {
  const { git } = world.outside
  await git.open(records)
  const [own, pulled] = await Promise.all([
    readyProject(records),
    readyProject(records, { pullRequestEnvironments: { enabled: true, baseEnvironment: '', maxOpen: 5 } }),
  ])
  git.github.repositories.set(installation, [own, pulled].map(repositoryOf))
  const [watch] = await Promise.all([
    openScheduleWatch(world, records, own, world.copies),
    openBase(world, records, pulled),
  ])
  const needs = { world, records, project: own, report }
  const builders = numbered(buildSlotCount, (number) => new BuildSlot(needs, `built-${number}`, chanceFrom(number)))
  const services = Object.values(base)
  return {
    slots: [
      ...numbered(functionSlotCount, (number) => new FunctionSlot(needs, `function-${number}`, chanceFrom(number))),
      ...numbered(sleepSlotCount, (number) => new SleepSlot(needs, `sleeper-${number}`, chanceFrom(number))),
      ...builders,
      new PullRequestSlot({ world, records, project: pulled, services, report }, chanceFrom(0)),
    ],
    projects: [own, pulled],
    watch,
    breaches: () => git.breaches(new Set([...builders.flatMap(({ names }) => [...names]), base.built])),
    secrets: () => [githubApp.clientSecret, githubApp.webhookSecret, ...git.github.tokens],
  }
}

const numbered = <T>(count: number, make: (number: number) => T): T[] =>
  Array.from({ length: count }, (_, number) => make(number))

/** Its production environment is connected to the git host. */
async function readyProject(records: TestRecords, spec: Parameters<typeof createProject>[1] = {}): Promise<string> {
  const gitHosts = [{ environment: 'production', installation }]
  const project = await createProject(records, { gitHosts, ...spec })
  await until(
    records.projects,
    project,
    (record) => record?.status?.conditions?.some((it) => it.status === 'True') === true,
    'ready',
  )
  return project.metadata.name
}

async function openBase(world: World, records: TestRecords, project: string): Promise<void> {
  world.outside.git.github.contents.heads.set('main', '1'.repeat(40))
  const git = { repository: repositoryOf(project), branch: 'main' }
  const sources = { built: { git }, plain: { image: { image: 'svc/hello:1' } } }
  const drafts = [
    draftOf(base.built, project, { source: sources.built as never }), // the schema fills in the rest
    draftOf(base.plain, project, { source: sources.plain }),
  ]
  await Promise.all(drafts.map((draft) => deployForGood({ world, records }, draft)))
}
