/**
 * The callers of a kill run: so many services are changed at the same time that every kill hits at least twenty
 * operations.
 */
import type { V1Secret } from '@kubernetes/client-node'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { labels, managedBySvc } from '../../kinds/meta/annotations.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { createProject, type TestRecords, until, useRecords } from '../harness/records.ts'
import { createConnection } from '../../records/cloud-connections/create-connection.ts'
import { openBackupSlots } from './backup-slots.ts'
import { ConnectionSlot } from './connection-slot.ts'
import { type AnyDataSlot, type DataNeeds, DataSlot } from './data-slot.ts'
import { type DataPlace, dataScenarios, postgresRecord } from './data-scenarios.ts'
import { openNewerSlots } from './newer-slots.ts'
import { PlatformSlot } from './platform-slot.ts'
import { ProjectSlot } from './project-slot.ts'
import type { ScheduleWatch } from './schedule-watch.ts'
import { chanceFrom } from './seeded.ts'
import type { Expected } from './service-breaches.ts'
import { Slot } from './slot.ts'
import type { World } from './world.ts'

const projectCount = 3
/** Slots per kind of data. */
const dataSlotCount = 3
/** Projects that are created and deleted with all their contents. */
const projectSlotCount = 2
/** Cloud connections that are created and deleted. */
const connectionSlotCount = 2
/** Keys of Secrets that hold generated passwords and keys; their values may be nowhere else. */
const hiddenKeys = ['password', 'uri', 'secretKey', 'secretAccessKey']

export interface Crowd {
  records: TestRecords
  /** Names of the projects of the crowd's services. */
  serviceProjects: readonly string[]
  /** Names of all present and former projects. */
  projects(): readonly string[]
  secrets: Set<string>
  /** Begins an operation on every service at once, chosen by the seed. Resolves when all accepted ones have ended. */
  work(seed: number): Promise<void>
  /** Number of operations under way. */
  goingOn(): number
  /** Resolves when at most `count` are under way. */
  untilOnly(count: number): Promise<void>
  expected(): Expected[]
  /** What is wrong with builds, and outside of the cluster: at the clouds, the object server and the own domain. */
  breachesOutside(): Promise<string[]>
  /** Adds every password and key that the platform has generated so far to the secrets. */
  gatherSecrets(): Promise<void>
  accepted(): number
  /** What came of backups so far, in words. */
  backupSummary(): string
  /** What is known of the runs of schedules is read after each kill. */
  watch: ScheduleWatch
}

/** @param services besides the 31 other slots of the crowd */
export async function gatherCrowd(world: World, services: number, report: (breach: string) => void): Promise<Crowd> {
  const records = await useRecords()
  const projects = await Promise.all(Array.from({ length: projectCount }, () => createProject(records)))
  for (const project of projects)
    await until(
      records.projects,
      project,
      (record) => record?.status?.conditions?.some((it) => it.status === 'True') === true,
      'ready',
    )
  const serviceProjects = projects.map((project) => project.metadata.name)
  const secrets = new Set<string>()
  const needs = { world, records, secrets, attempts: new Set<string>(), report }
  const slots = Array.from(
    { length: services },
    (_, number) =>
      new Slot({ ...needs, project: serviceProjects[number % projectCount] ?? '' }, number, chanceFrom(number)),
  )
  const dataSlots = await openDataSlots(world, {
    records,
    place: {
      project: serviceProjects[0] ?? '',
      server: 'kill-server',
      aws: 'kill-aws',
      planetScale: 'kill-planetscale',
      foreign: await writeLogin(world, records, serviceProjects[0] ?? ''),
    },
    secrets,
    report,
  })
  const projectSlots = Array.from(
    { length: projectSlotCount },
    (_, number) => new ProjectSlot({ records, report }, number, chanceFrom(number)),
  )
  const { aws, planetScale } = world.outside.accounts
  const connectionSlots = Array.from(
    { length: connectionSlotCount },
    (_, number) =>
      new ConnectionSlot(
        { records, project: serviceProjects[1] ?? '', accounts: [aws, planetScale], report },
        number,
        chanceFrom(number),
      ),
  )
  const platformSlot = new PlatformSlot({ records, domain: world.outside.domain, report }, chanceFrom(0))
  await platformSlot.open()
  const [newer, backups] = await Promise.all([
    openNewerSlots(world, records, report),
    openBackupSlots(world, records, report),
  ])
  const all = [
    ...slots,
    ...dataSlots,
    ...projectSlots,
    ...connectionSlots,
    platformSlot,
    ...newer.slots,
    ...backups.slots,
  ]
  const goingOn = () => all.filter((slot) => slot.busy).length
  let onLess: () => void = () => undefined

  const live = async (slot: { operate(): Promise<void> }): Promise<void> => {
    try {
      await slot.operate()
    } catch (error) {
      report(error instanceof Error ? error.message : String(error))
    }
    onLess()
  }

  return {
    records,
    serviceProjects,
    watch: newer.watch,
    projects: () => [
      ...serviceProjects,
      ...newer.projects,
      ...backups.projects,
      ...projectSlots.flatMap(({ names }) => names),
    ],
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
    async breachesOutside() {
      const names = new Set([
        ...dataSlots.flatMap(({ name }) => name ?? []),
        ...projectSlots.flatMap(({ buckets }) => buckets),
        ...backups.stores,
      ])
      const former = [
        ...dataSlots.flatMap(({ formerNames }) => formerNames),
        ...projectSlots.flatMap(({ formerBuckets }) => formerBuckets),
      ]
      const stores = records.objectStores.cache.list().filter(({ metadata }) => names.has(metadata.name))
      const databases = records.databases.cache.list().filter(({ metadata }) => names.has(metadata.name))
      const formerStores = former.filter((name) => !names.has(name))
      return [
        ...(await world.outside.breaches({ stores, formerStores, databases })),
        ...(await platformSlot.breaches()),
        ...(await newer.breaches()),
        ...(await backups.breaches()),
      ]
    },
    gatherSecrets: async () => {
      for (const secret of [...platformSlot.secrets, ...newer.secrets(), ...(await backups.secrets())])
        secrets.add(secret)
      const { items } = await records.client.list<Sent<V1Secret>>(coreTypes.secret, {
        labelSelector: `${labels.managedBy}=${managedBySvc}`,
      })
      for (const { data = {} } of items)
        for (const key of hiddenKeys)
          if ((data[key] ?? '') !== '') secrets.add(Buffer.from(data[key] ?? '', 'base64').toString())
    },
    backupSummary: backups.summary,
    accepted: () => all.reduce((sum, slot) => sum + slot.accepted, 0),
  }
}

/** What the data of a run depends on: a server for logical databases, the object server, connections to the clouds. */
async function openDataSlots(world: World, needs: DataNeeds): Promise<AnyDataSlot[]> {
  const { records, place, secrets } = needs
  await world.outside.open(records)
  const { aws, planetScale } = world.outside.accounts
  for (const [name, account] of [
    [place.aws, aws],
    [place.planetScale, planetScale],
  ] as const)
    await createConnection(records, { ...account, name, project: place.project, region: '' })
  for (const secret of [aws.keys['secretAccessKey'], planetScale.keys['token']]) secrets.add(secret ?? '')
  const server = await records.databases.create(postgresRecord(place.server, place.project))
  await until(records.databases, server, (record) => readyOf(record?.status?.conditions)?.status === 'True', 'ready')
  const here = Array.from({ length: dataSlotCount }, (_, number) => [
    new DataSlot(needs, dataScenarios.database, `db-${number}`, chanceFrom(number)),
    new DataSlot(needs, dataScenarios.logicalDatabase, `ldb-${number}`, chanceFrom(number)),
    new DataSlot(needs, dataScenarios.bucket, `bucket-${number}`, chanceFrom(number)),
    new DataSlot(needs, dataScenarios.remoteBucket, `remote-${number}`, chanceFrom(number)),
  ]).flat()
  const elsewhere = [
    new DataSlot(needs, dataScenarios.remoteDatabase, 'planet', chanceFrom(0)),
    new DataSlot(needs, dataScenarios.connectedDatabase, 'foreign', chanceFrom(0)),
  ]
  return [...here, ...elsewhere]
}

/** The password of the external server, in the namespace where records of the project may refer to it. */
async function writeLogin(
  { outside: { server } }: World,
  { client }: TestRecords,
  project: string,
): Promise<DataPlace['foreign']> {
  const { host, port, admin } = server
  const login = { name: 'kill-login', key: 'password' }
  await client.create<Sent<V1Secret>>(coreTypes.secret, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: login.name, namespace: systemNamespace, labels: { [labels.project]: project } },
    data: { [login.key]: Buffer.from(admin.password).toString('base64') },
  })
  return { externalHost: host, externalPort: port, externalUsername: admin.username, externalPasswordRef: login }
}
