/**
 * One caller's project in a kill run: created with services, databases and buckets in its environments; they are
 * archived, filled again and deleted with the project.
 */
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { finalizers } from '../../kinds/meta/annotations.ts'
import { type App, appSpec } from '../../kinds/apps/kind.ts'
import { appState } from '../../kinds/apps/state.ts'
import { readyOf } from '../../kinds/meta/conditions.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import { projectState } from '../../kinds/projects/intent.ts'
import { type Project, projectSpec } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { archiveEnvironment, createEnvironment } from '../../records/projects/save-settings.ts'
import type { RecordStore } from '../../records/store/record-store.ts'
import type { TestRecords } from '../harness/records.ts'
import { Caller } from './caller.ts'
import { bucketRecord, postgresRecord } from './data-scenarios.ts'
import { holdsInTime, insist } from './insist.ts'
import type { Chance } from './seeded.ts'

export interface ProjectNeeds {
  records: TestRecords
  /** Reports a breach at once. */
  report: (breach: string) => void
}

/** `passing` is archived and added again; `lasting` stays as long as its project. */
const [lasting, passing] = ['production', 'staging'] as const
type Environment = typeof lasting | typeof passing

/** The contents of one environment, by name; each filling has its own names. */
interface Contents {
  app: string
  database: string
  bucket: string
}

interface Alive {
  name: string
  uid: string
  contents: Map<Environment, Contents>
}

export class ProjectSlot extends Caller {
  readonly #needs: ProjectNeeds
  readonly #number: number
  #lives = 0
  #fillings = 0
  #now: Alive | undefined
  /** What was archived or deleted with its project and must be gone. */
  readonly #gone: Contents[] = []
  /** Every name that a project of this slot had. */
  readonly names: string[] = []
  /** Names of all buckets of archived and deleted environments. */
  readonly formerBuckets: string[] = []

  constructor(needs: ProjectNeeds, number: number, chance: Chance) {
    super(chance)
    this.#needs = needs
    this.#number = number
  }

  /** Names of the buckets that should exist. */
  get buckets(): string[] {
    return [...(this.#now?.contents.values() ?? [])].map(({ bucket }) => bucket)
  }

  protected async change(): Promise<void> {
    const now = this.#now
    if (now === undefined) await this.#create()
    else if (this.chance.percent(45)) await this.#delete(now)
    else if (now.contents.has(passing)) await this.#archive(now)
    else await this.#fill(now, passing)
  }

  async #create(): Promise<void> {
    // Half of the new projects reuse the name of the one before; each is a new project nonetheless.
    if (this.#lives === 0 || this.chance.percent(50)) this.#lives += 1
    const name = `proj-${(0xfa000000 + this.#number * 0x10000 + this.#lives).toString(16)}`
    if (!this.names.includes(name)) this.names.push(name)
    const { projects } = this.#needs.records
    const wanted: Project = {
      ...this.#record('project', name),
      metadata: { name, namespace: systemNamespace, finalizers: [finalizers.project] },
      spec: projectSpec.parse({ displayName: name, environments: [lasting] }),
    }
    const made = await this.insist(async () => (await projects.readLive(name)) ?? (await projects.create(wanted)))
    this.#now = { name, uid: made.metadata.uid ?? '', contents: new Map() }
    await this.#fill(this.#now, lasting)
    if (this.chance.percent(50)) await this.#fill(this.#now, passing)
  }

  /** Creates the environment with a service, a database and a bucket, as kubectl would. */
  async #fill({ name: project, contents }: Alive, environment: Environment): Promise<void> {
    const { apps, databases, objectStores } = this.#needs.records
    const mark = `${this.#number}-${(this.#fillings += 1)}`
    const filling = { app: `held-app-${mark}`, database: `held-db-${mark}`, bucket: `held-store-${mark}` }
    contents.set(environment, filling)
    this.formerBuckets.push(filling.bucket)
    await this.#insistOn(project, environment, true)
    const app: App = {
      ...this.#record('app', filling.app),
      spec: appSpec.parse({
        project,
        environment,
        source: { image: { image: 'svc/hello:1' } },
        deploy: { enabled: true },
      }),
    }
    await this.#put(apps, app)
    await this.#put(databases, postgresRecord(filling.database, project, environment))
    await this.#put(objectStores, bucketRecord(filling.bucket, project, environment))
  }

  async #archive({ name, contents }: Alive): Promise<void> {
    const filling = contents.get(passing)
    if (filling !== undefined) this.#gone.push(filling)
    contents.delete(passing)
    await this.#insistOn(name, passing, false)
  }

  /** Adds or archives an environment as the api does: adding an archived one is refused until it is gone. */
  async #insistOn(name: string, environment: Environment, wanted: boolean): Promise<void> {
    const { projects } = this.#needs.records
    await this.insist(async () => {
      const there = (await projects.readLive(name))?.spec.environments.includes(environment)
      if (there === wanted) return // the answer to the last request was lost
      if (wanted) await createEnvironment({ projects }, name, environment)
      else await archiveEnvironment({ projects, contentsOf: async () => [] }, name, environment, environment)
    })
  }

  async #delete({ name, uid, contents }: Alive): Promise<void> {
    const { projects } = this.#needs.records
    await this.insist(() => projects.remove(name, uid))
    this.#gone.push(...contents.values())
    this.#now = undefined
    const gone = await holdsInTime(async () => (await projects.readLive(name))?.metadata.uid !== uid)
    if (!gone)
      this.#needs.report(`project ${name} is not gone: ${JSON.stringify((await projects.readLive(name))?.status)}`)
    for (const environment of [lasting, passing])
      if (await this.#hasNamespace(name, environment))
        this.#needs.report(`${namespaceOf(name, environment)} outlived its project`)
  }

  protected async untilReconciled(): Promise<void> {
    const now = this.#now
    let missing = ''
    const holds = async () => {
      missing = (await this.#remains()) ?? (now === undefined ? '' : await this.#missing(now))
      return missing === ''
    }
    if (!(await holdsInTime(holds))) this.#needs.report(`project ${now?.name ?? ''} has not ended: ${missing}`)
    this.#gone.length = 0
  }

  async #remains(): Promise<string | undefined> {
    const { apps, databases, objectStores } = this.#needs.records
    for (const { app, database, bucket } of this.#gone) {
      for (const [store, name] of [
        [apps, app],
        [databases, database],
        [objectStores, bucket],
      ] as const) {
        if ((await store.readLive(name)) !== undefined) return `${name} is still there`
      }
    }
    return undefined
  }

  /** What is missing; '' when nothing. */
  async #missing({ name, contents }: Alive): Promise<string> {
    const { projects, apps, databases, objectStores } = this.#needs.records
    const project = await projects.readLive(name)
    if (project === undefined) return 'the project'
    const { state, message } = projectState(project)
    if (state !== 'ready') return `the project is ${state}: ${message}`
    const environments = project.status?.environments?.map((environment) => environment.name) ?? []
    if (environments.toSorted().join() !== [...contents.keys()].toSorted().join())
      return `environments are ${environments.join()}`
    for (const environment of [lasting, passing]) {
      if ((await this.#hasNamespace(name, environment)) !== contents.has(environment))
        return `the namespace of ${environment} is not as promised`
    }
    for (const filling of contents.values()) {
      const app = await apps.readLive(filling.app)
      if (app === undefined || appState(app).state !== 'ready')
        return `${filling.app} is ${app === undefined ? 'gone' : appState(app).state}`
      for (const record of [await databases.readLive(filling.database), await objectStores.readLive(filling.bucket)]) {
        const ready = readyOf(record?.status?.conditions)
        if (ready?.status !== 'True')
          return `${record?.metadata.name ?? 'a record'}: ${ready?.message ?? 'nothing written'}`
      }
    }
    return ''
  }

  async #hasNamespace(project: string, environment: Environment): Promise<boolean> {
    return (
      (await insist(() =>
        this.#needs.records.client.get({ type: coreTypes.namespace, name: namespaceOf(project, environment) }),
      )) !== undefined
    )
  }

  #record(kind: 'project' | 'app', name: string) {
    return { apiVersion, kind: resourceTypes[kind].kind, metadata: { name, namespace: systemNamespace } }
  }

  async #put<T extends KubeObject>(store: RecordStore<T>, record: T): Promise<void> {
    await this.insist(async () => (await store.readLive(record.metadata.name)) ?? (await store.create(record)))
  }
}
