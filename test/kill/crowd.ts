/** The callers of a kill run: so many services at work at the same time that every kill hits at least twenty operations. */
import type { V1Secret } from '@kubernetes/client-node'
import type { Sent } from '../../cluster/object.ts'
import { coreTypes } from '../../cluster/resource-type.ts'
import { labels, managedBySvc } from '../../kinds/annotations.ts'
import { readyOf } from '../../kinds/conditions.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { createProject, type TestRecords, until, useRecords } from '../harness/records.ts'
import { type AnyDataSlot, type DataNeeds, DataSlot } from './data-slot.ts'
import { dataStories, postgresRecord } from './data-stories.ts'
import { cloudConnection } from './outside.ts'
import { ProjectSlot } from './project-slot.ts'
import { chanceFrom } from './seeded.ts'
import type { Expected } from './service-breaches.ts'
import { Slot } from './slot.ts'
import type { World } from './world.ts'

const slotCount = 26
const projectCount = 3
/** Of each kind of data. */
const dataSlotCount = 3
/** Projects that come and go with all that is in them. */
const projectSlotCount = 2
/** Where the passwords and keys that the platform makes are kept: nowhere else may they be. */
const hiddenKeys = ['password', 'uri', 'secretKey', 'secretAccessKey']

export interface Crowd {
  records: TestRecords
  /** Names of the projects that the services of the crowd are in. */
  serviceProjects: readonly string[]
  /** Names of all projects there are or were. */
  projects(): readonly string[]
  secrets: Set<string>
  /** Begins an operation on every service at once; the seed decides which. Resolves when all accepted ones have ended. */
  work(seed: number): Promise<void>
  /** Operations that go on right now. */
  goingOn(): number
  /** Resolves when only so many are left. */
  untilOnly(count: number): Promise<void>
  expected(): Expected[]
  /** Buckets that must be there, and the names of those that must not. */
  stores(): { expected: readonly ObjectStore[]; gone: readonly string[] }
  /** Adds every password and key that the platform has made so far to the secrets. */
  gatherSecrets(): Promise<void>
  accepted(): number
}

export async function gatherCrowd(world: World, tell: (breach: string) => void): Promise<Crowd> {
  const records = await useRecords()
  const projects = await Promise.all(Array.from({ length: projectCount }, () => createProject(records)))
  for (const project of projects)
    await until(records.projects, project, (record) => record?.status?.conditions?.some((it) => it.status === 'True') === true, 'ready')
  const serviceProjects = projects.map((project) => project.metadata.name)
  const secrets = new Set<string>()
  const needs = { world, records, secrets, attempts: new Set<string>(), tell }
  const slots = Array.from(
    { length: slotCount },
    (_, number) => new Slot({ ...needs, project: serviceProjects[number % projectCount] ?? '' }, number, chanceFrom(number)),
  )
  const dataSlots = await openDataSlots(world, {
    records,
    place: { project: serviceProjects[0] ?? '', server: 'kill-server', connection: cloudConnection },
    secrets,
    tell,
  })
  const projectSlots = Array.from({ length: projectSlotCount }, (_, number) => new ProjectSlot({ records, tell }, number, chanceFrom(number)))
  const all = [...slots, ...dataSlots, ...projectSlots]
  const goingOn = () => all.filter((slot) => slot.busy).length
  let onLess: () => void = () => undefined

  const live = async (slot: { operate(): Promise<void> }): Promise<void> => {
    try {
      await slot.operate()
    } catch (error) {
      tell(error instanceof Error ? error.message : String(error))
    }
    onLess()
  }

  return {
    records,
    serviceProjects,
    projects: () => [...serviceProjects, ...projectSlots.flatMap(({ names }) => names)],
    secrets,
    async work(seed) {
      await Promise.all(
        all.map((slot, number) => {
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
    stores: () => {
      const names = new Set([...dataSlots.map(({ name }) => name), ...projectSlots.flatMap(({ buckets }) => buckets)])
      const former = [...dataSlots.flatMap(({ formerNames }) => formerNames), ...projectSlots.flatMap(({ formerBuckets }) => formerBuckets)]
      const ours = records.objectStores.cache.list().filter(({ metadata }) => names.has(metadata.name))
      return { expected: ours, gone: former.filter((name) => !names.has(name)) }
    },
    gatherSecrets: async () => {
      const { items } = await records.client.list<Sent<V1Secret>>(coreTypes.secret, { labelSelector: `${labels.managedBy}=${managedBySvc}` })
      for (const { data = {} } of items)
        for (const key of hiddenKeys) if ((data[key] ?? '') !== '') secrets.add(Buffer.from(data[key] ?? '', 'base64').toString())
    },
    accepted: () => all.reduce((sum, slot) => sum + slot.accepted, 0),
  }
}

/** What the data of a run is on: a server for logical databases, the object server, a connection to the cloud. */
async function openDataSlots(world: World, needs: DataNeeds): Promise<AnyDataSlot[]> {
  const { records, place, secrets } = needs
  await world.outside.open(records)
  await world.outside.connect(records, place.project)
  secrets.add(world.outside.secret)
  const server = await records.databases.create(postgresRecord(place.server, place.project))
  await until(records.databases, server, (record) => readyOf(record?.status?.conditions)?.status === 'True', 'ready')
  return Array.from({ length: dataSlotCount }, (_, number) => [
    new DataSlot(needs, dataStories.database, `db-${number}`, chanceFrom(number)),
    new DataSlot(needs, dataStories.logicalDatabase, `ldb-${number}`, chanceFrom(number)),
    new DataSlot(needs, dataStories.bucket, `bucket-${number}`, chanceFrom(number)),
    new DataSlot(needs, dataStories.remoteBucket, `remote-${number}`, chanceFrom(number)),
  ]).flat()
}
