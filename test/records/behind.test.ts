/** A process whose cache has not yet received a write that another process made a moment ago. */
import { expect } from 'chai'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { Problem } from '../../contract/problem.ts'
import { labels } from '../../kinds/meta/annotations.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { type ObjectStore, objectStoreSpec } from '../../kinds/object-stores/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { acceptDeploy } from '../../records/apps/accept-deploy.ts'
import { saveSettings } from '../../records/apps/save-settings.ts'
import { makeNamed, type PlacedNames } from '../../records/place/place.ts'
import { recordsOf } from '../../records/place/records-of.ts'
import { createProject as createRecord } from '../../records/projects/create-project.ts'
import { archiveEnvironment, createEnvironment, saveProjectSettings } from '../../records/projects/save-settings.ts'
import { saveSharedVariable } from '../../records/projects/shared-variables.ts'
import { forgetRecords } from '../harness/forget-records.ts'
import { behindStore, createApp, createProject, freeNames, type TestRecords, useRecords } from '../harness/records.ts'
import { withoutWorker } from '../harness/worker.ts'

describe('a cache behind another process', () => {
  let records: TestRecords
  let project: Project
  let name: string

  before(async function () {
    this.timeout(60_000)
    await withoutWorker()
    records = await useRecords()
  })
  beforeEach(async () => {
    project = await createProject(records)
    ;({ name } = project.metadata)
  })
  /** No worker runs that would remove the finalizer. */
  afterEach(async () => {
    await records.client.delete({ type: coreTypes.secret, namespace: systemNamespace, name: `${name}-shared` })
    await forget(project)
  })
  const forget = async ({ metadata }: Project): Promise<void> => {
    await records.projects.edit(metadata.name, (it) => ({ ...it, metadata: { ...it.metadata, finalizers: [] } }))
    await records.projects.remove(metadata.name, metadata.uid ?? '')
  }

  /** The dependencies of a process whose cache has the project as it was created. */
  const behind = () => {
    const projects = behindStore(records.client, resourceTypes.project, [project])
    return { ...records, projects, names: freeNames, contentsOf: async () => [] }
  }
  const makeIn = (environment: string) =>
    makeNamed(behind(), 'app', { project: name, environment }, 'web', async (chosen) => chosen)
  const refusal = async (asked: Promise<unknown>): Promise<string> => {
    try {
      await asked
    } catch (error) {
      if (error instanceof Problem) return error.message
      throw error
    }
    return 'not refused'
  }

  it('makes something in an environment that was just added, and refuses an unknown one', async () => {
    await createEnvironment(records, name, 'staging')
    expect(await makeIn('staging')).to.equal('web')
    expect(await refusal(makeIn('nowhere'))).to.equal('the project has no environment nowhere')
  })

  it('gives a name again whose record is gone, and no other', async () => {
    const make = (names: Partial<PlacedNames>) =>
      makeNamed(
        { ...behind(), names: { ...freeNames, taken: () => true, ...names } },
        'app',
        { project: name, environment: 'production' },
        'web',
        async (chosen) => chosen,
      )
    expect(await make({})).to.equal('web')
    for (const names of [{ heldNow: async () => true }, { takenNow: async () => true }])
      expect(await refusal(make(names))).to.equal('the name web is already used')
  })

  it('gives a new project no name that another process gave a moment ago', async () => {
    const always = () => 0
    const first = await createRecord(behind(), '', always)
    const second = await createRecord(behind(), '', always)
    try {
      expect(second.spec.displayName).not.to.equal(first.spec.displayName)
    } finally {
      for (const each of [first, second]) await forget(each)
    }
  })

  it('refuses the display name that another project was given this moment', async () => {
    const other = await createProject(records)
    await records.projects.edit(other.metadata.name, (current) => ({
      ...current,
      spec: { ...current.spec, displayName: `Shop ${name}` },
    }))
    const needs = { ...behind(), nodesNow: async () => [], databasesOf: async () => [] }
    expect(await refusal(saveProjectSettings(needs, name, { displayName: `Shop ${name}` }))).to.equal(
      'another project has this name',
    )
    await forget(other)
  })

  it('lets only one of two projects have a name that both are given at the same moment', async () => {
    const other = await createProject(records)
    const { promise: bothLooked, resolve } = Promise.withResolvers<void>()
    let looked = 0
    const listLive = async () => {
      const seen = await records.projects.listLive()
      if ((looked += 1) === 2) resolve()
      await bothLooked
      return seen
    }
    const projects = { ...records.projects, listLive }
    const needs = { ...behind(), projects, nodesNow: async () => [], databasesOf: async () => [] }
    const displayName = `Shop ${name}`
    const names = [name, other.metadata.name]
    const answers = await Promise.all(names.map((each) => refusal(saveProjectSettings(needs, each, { displayName }))))
    const holders = (await records.projects.listLive()).filter(({ spec }) => spec.displayName === displayName)
    expect(holders.length, answers.join()).to.equal(answers.filter((answer) => answer === 'not refused').length)
    expect(holders.length).to.be.lessThan(2)
    await forget(other)
  })

  it('moves no service to where something else gets its name at the same moment', async () => {
    await createEnvironment(records, name, 'staging')
    const app = await createApp(records, project)
    const taken = [false, true]
    const names = { ...freeNames, takenNow: async () => taken.shift() ?? false }
    const needs = { ...records, names, hostTrouble: async () => undefined, volumeOf: () => undefined }
    expect(await refusal(saveSettings(needs, app.metadata.name, { environment: 'staging' }))).to.equal(
      `the name ${app.metadata.name} is already used in environment staging`,
    )
    expect((await records.apps.readLive(app.metadata.name))?.spec.environment).to.equal('production')
    await forgetRecords()
  })

  it('leaves out an environment that was added this moment, if it is empty', async () => {
    await createEnvironment(records, name, 'staging')
    const needs = { ...behind(), nodesNow: async () => [], databasesOf: async () => [] }
    const save = (contents: string[]) =>
      refusal(
        saveProjectSettings({ ...needs, contentsOf: async () => contents }, name, { environments: ['production'] }),
      )
    expect(await save(['web'])).to.equal('the environment staging still holds web; archive it to delete them')
    expect(await save([])).to.equal('not refused')
    expect((await records.projects.readLive(name))?.spec.environments).to.deep.equal(['production'])
  })

  it('reserves the capacity of the copies that it deploys', async () => {
    const app = await createApp(records, project)
    await records.apps.edit(app.metadata.name, (it) => ({ ...it, spec: { ...it.spec, replicas: 5 } }))
    const reserved: number[] = []
    const reserve = async (_app: App, { replicas }: AppSpec) => void reserved.push(replicas)
    const needs = { ...records, apps: behindStore(records.client, resourceTypes.app, [app]), reserve }
    await acceptDeploy(needs, app, { operation: 'deploy', title: 'A test', actor: 'tester', requestId: 'test' })
    expect(reserved).to.deep.equal([1, 5])
    await forgetRecords()
  })

  it('archives an environment that was added this moment', async () => {
    await createEnvironment(records, name, 'staging')
    expect(await archiveEnvironment(behind(), name, 'staging', 'staging')).to.equal(0)
    expect((await records.projects.readLive(name))?.spec.environments).to.deep.equal(['production'])
    expect(await refusal(archiveEnvironment(behind(), name, 'staging', 'staging'))).to.equal(
      'the project has no environment staging',
    )
  })

  it('knows a bucket of a project that was made this moment', async () => {
    const { cache } = behindStore<ObjectStore>(records.client, resourceTypes.objectStore)
    const store = await records.objectStores.create({
      apiVersion,
      kind: resourceTypes.objectStore.kind,
      metadata: {
        name: `${name}-files`,
        namespace: systemNamespace,
        labels: { [labels.project]: name, [labels.environment]: 'production' },
      },
      spec: objectStoreSpec.parse({ project: name, environment: 'production', engine: 'Local' }),
    })
    const known = { ...records.objectStores, cache }
    const of = async (environment?: string) =>
      (
        await recordsOf(records.client, known, resourceTypes.objectStore, {
          project: name,
          ...(environment === undefined ? {} : { environment }),
        })
      ).length
    expect([await of(), await of('production'), await of('staging')]).to.deep.equal([1, 1, 0])
    await records.objectStores.remove(store.metadata.name, store.metadata.uid ?? '')
    expect(await of()).to.equal(0)
  })

  it('shares a variable with an environment that was added this moment', async () => {
    await createEnvironment(records, name, 'staging')
    const variable = { name: 'KEY', environment: 'staging', value: 'v', secret: undefined }
    expect((await saveSharedVariable(behind(), name, variable)).spec.sharedVariables).to.deep.equal([
      { name: 'KEY', environment: 'staging', value: 'v' },
    ])
    const nowhere = saveSharedVariable(behind(), name, { ...variable, environment: 'nowhere' })
    expect(await refusal(nowhere)).to.equal('the project has no environment nowhere')
  })

  it('keeps a variable secret that was made one this moment', async () => {
    const variable = { name: 'KEY', environment: '', value: 'first' }
    await saveSharedVariable(records, name, { ...variable, secret: true })
    const saved = await saveSharedVariable(behind(), name, { ...variable, value: 'second', secret: undefined })
    expect(saved.spec.sharedVariables).to.deep.equal([
      { name: 'KEY', environment: '', secretRef: { name: `${name}-shared`, key: '_every.KEY' } },
    ])
  })
})
