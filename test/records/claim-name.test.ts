/** One display name that two projects are renamed to by two processes: at most one of them gets it. */
import { expect } from 'chai'
import type { ClusterClient } from '../../cluster/client.ts'
import { Problem } from '../../contract/problem.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { saveProjectSettings } from '../../records/projects/save-settings.ts'
import { behindStore, createProject, type TestRecords, useRecords } from '../harness/records.ts'
import { withoutWorker } from '../harness/worker.ts'
import { dyingAt, points } from './dying.ts'

const taken = 'another project has this name'
const beingGiven = 'another project is being given this name; try again in a moment'

describe('two projects that are renamed to one display name', () => {
  let records: TestRecords
  let one: Project
  let two: Project
  let wanted: string

  before(async function () {
    this.timeout(60_000)
    await withoutWorker()
    records = await useRecords()
  })
  beforeEach(async () => {
    one = await createProject(records)
    two = await createProject(records)
    wanted = `Shop ${one.metadata.name}`
  })
  /** No worker runs that would remove the finalizers. */
  afterEach(async () => {
    for (const { metadata } of [one, two]) {
      await records.projects.edit(metadata.name, (it) => ({ ...it, metadata: { ...it.metadata, finalizers: [] } }))
      await records.projects.remove(metadata.name, metadata.uid ?? '')
    }
  })

  /** By a process of its own. */
  const rename = ({ metadata }: Project, client: ClusterClient = records.client, ifMatch?: string) => {
    const projects = behindStore<Project>(client, resourceTypes.project, [])
    const needs = { projects, nodesNow: async () => [], contentsOf: async () => [], databasesOf: async () => [] }
    return saveProjectSettings(needs, metadata.name, { displayName: wanted }, ifMatch)
  }
  /** Why it is refused; empty where it is not. */
  const refusalOf = async (renamed: Promise<unknown>): Promise<string> => {
    try {
      await renamed
      return ''
    } catch (error) {
      if (error instanceof Problem) return error.message
      throw error
    }
  }
  const live = async (project: Project) => await records.projects.readLive(project.metadata.name)
  const holders = async (): Promise<Project[]> => {
    const both = await Promise.all([one, two].map(async (each) => [each, await live(each)] as const))
    return both.filter(([, found]) => found?.spec.displayName === wanted).map(([each]) => each)
  }

  it('refuses the one that is slower than a whole rename of the other', async () => {
    let isFirst = true
    const { client } = records
    const slow: ClusterClient = {
      ...client,
      replace: async (type, object, options) => {
        const isName = (object as unknown as Project).spec.displayName === wanted
        if (isName && isFirst) {
          isFirst = false
          expect(await refusalOf(rename(two))).to.equal('')
        }
        return await client.replace(type, object, options)
      },
    }
    expect(await refusalOf(rename(one, slow))).to.equal(beingGiven)
    expect(await holders()).to.deep.equal([two])
    expect(await refusalOf(rename(one))).to.equal(taken)
  })

  for (const point of points)
    it(`gives it to the other where the process dies ${point.when} write ${point.write}, unless it was written`, async () => {
      await dyingAt(records.client, point, (client) => rename(one, client))
      const isWritten = point.write === 2 && point.when === 'after'
      expect(await refusalOf(rename(two))).to.equal(isWritten ? taken : '')
      expect(await refusalOf(rename(one))).to.equal(isWritten ? '' : taken)
      expect(await holders()).to.deep.equal([isWritten ? one : two])
    })

  it('gives it to one at most of two at the same moment, and then to the one that asks again', async () => {
    for (let round = 0; round < 10; round += 1) {
      const refusals = await Promise.all([refusalOf(rename(one)), refusalOf(rename(two))])
      const got = await holders()
      expect(got.length, refusals.join(' and ')).to.be.at.most(1)
      expect(refusals.filter((refusal) => refusal === '')).to.have.length(got.length)
      for (const refusal of refusals) expect(refusal).to.be.oneOf(['', taken, beingGiven])
      if (got.length === 0) expect(await refusalOf(rename(one))).to.equal('')
      wanted = `Shop ${one.metadata.name} ${round}`
    }
  })

  it('is one save for its caller: the version that was read counts, and no note stays', async () => {
    const { resourceVersion = '' } = one.metadata
    await rename(one, records.client, resourceVersion)
    const found = await live(one)
    expect(found?.metadata.annotations?.[annotations.naming]).to.equal(undefined)
    wanted = `${wanted} again`
    expect(await refusalOf(rename(one, records.client, resourceVersion))).to.equal(
      'the resource was changed by another writer; read it again and retry',
    )
    expect((await live(one))?.metadata.resourceVersion).to.equal(found?.metadata.resourceVersion)
  })
})
