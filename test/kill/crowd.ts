/** The callers of a kill run: so many services at work at the same time that every kill hits at least twenty operations. */
import type { Project } from '../../kinds/projects/kind.ts'
import { createProject, type TestRecords, until, useRecords } from '../harness/records.ts'
import { chanceFrom } from './seeded.ts'
import type { Expected } from './service-breaches.ts'
import { Slot } from './slot.ts'
import type { World } from './world.ts'

const slotCount = 26
const projectCount = 3

export interface Crowd {
  records: TestRecords
  projects: readonly Project[]
  secrets: Set<string>
  /** Begins an operation on every service at once; the seed decides which. Resolves when all accepted ones have ended. */
  work(seed: number): Promise<void>
  /** Operations that go on right now. */
  goingOn(): number
  /** Resolves when only so many are left. */
  untilOnly(count: number): Promise<void>
  expected(): Expected[]
  accepted(): number
}

export async function gatherCrowd(world: World, tell: (breach: string) => void): Promise<Crowd> {
  const records = await useRecords()
  const projects = await Promise.all(Array.from({ length: projectCount }, () => createProject(records)))
  for (const project of projects)
    await until(records.projects, project, (record) => record?.status?.conditions?.some((it) => it.status === 'True') === true, 'ready')
  const secrets = new Set<string>()
  const needs = { world, records, secrets, attempts: new Set<string>(), tell }
  const slots = Array.from(
    { length: slotCount },
    (_, number) => new Slot({ ...needs, project: projects[number % projectCount]?.metadata.name ?? '' }, number, chanceFrom(number)),
  )
  const goingOn = () => slots.filter((slot) => slot.busy).length
  let onLess: () => void = () => undefined

  const live = async (slot: Slot): Promise<void> => {
    try {
      await slot.operate()
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error))
    }
    onLess()
  }

  return {
    records,
    projects,
    secrets,
    async work(seed) {
      await Promise.all(
        slots.map((slot, number) => {
          slot.begin(chanceFrom(seed, number))
          return live(slot)
        }),
      )
    },
    goingOn,
    async untilOnly(count) {
      while (goingOn() > count) await new Promise<void>((resolve) => (onLess = resolve))
    },
    expected: () => slots.flatMap((slot) => slot.expected ?? []),
    accepted: () => slots.reduce((sum, slot) => sum + slot.accepted, 0),
  }
}
