/**
 * Names of new records, chosen from a cache that has not yet received the records another process made a moment ago.
 */
import { expect } from 'chai'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { Problem } from '../../contract/problem.ts'
import type { App } from '../../kinds/apps/kind.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { createDraft, newSpec } from '../../records/apps/create-draft.ts'
import { makeNamed } from '../../records/place/place.ts'
import type { RecordStore } from '../../records/store/record-store.ts'
import { createProject, freeNames, type TestRecords, useRecords } from '../harness/records.ts'
import { withoutWorker } from '../harness/worker.ts'

describe('a new record', () => {
  let records: TestRecords
  let project: Project
  const made: App[] = []

  before(async function () {
    this.timeout(60_000)
    await withoutWorker()
    records = await useRecords()
    project = await createProject(records)
  })
  after(async () => {
    for (const app of made) await forget(records.apps, app)
    await forget(records.projects, project)
  })

  /** No worker runs that would remove the finalizer. */
  async function forget<T extends KubeObject>(
    store: RecordStore<T>,
    { metadata: { name, uid = '' } }: T,
  ): Promise<void> {
    await store.edit(name, (current) => ({ ...current, metadata: { ...current.metadata, finalizers: [] } }))
    await store.remove(name, uid)
  }

  const needs = () => ({ ...records, hostTrouble: async () => undefined, names: freeNames })
  const create = async (name: string): Promise<App> => {
    const app = await createDraft(
      needs(),
      name,
      newSpec({ project: project.metadata.name, environment: 'production', source: 'image', port: 8080 }),
    )
    made.push(app)
    return app
  }
  /** Makes a record; another process has already taken the first `quicker` names. */
  async function tried(
    wanted: string | undefined,
    quicker: number,
  ): Promise<{ names: string[]; app?: App; refusal?: string }> {
    const names: string[] = []
    const place = { project: project.metadata.name, environment: 'production' }
    try {
      const app = await makeNamed(needs(), 'app', place, wanted, async (name) => {
        names.push(name)
        if (names.length <= quicker) await create(name)
        return create(name)
      })
      return { names, app }
    } catch (error) {
      if (error instanceof Problem) return { names, refusal: error.message }
      throw error
    }
  }

  it('gets another generated name when another process has taken the first one this moment', async () => {
    const { names, app } = await tried(undefined, 2)
    expect(names).to.have.lengthOf(3)
    expect(app?.metadata.name).to.equal(names[2])
    expect(names[2]).to.match(/^[a-z]+-[a-z]+$/)
  })

  it('is refused under a name that was asked for', async () => {
    expect(await tried('mine', 1)).to.deep.equal({ names: ['mine'], refusal: 'the name mine is already used' })
  })

  it('is refused when every name it was given is taken', async () => {
    const { names, refusal } = await tried(undefined, Number.POSITIVE_INFINITY)
    expect(names).to.have.lengthOf(5)
    expect(refusal).to.equal(`the name ${names[4] ?? ''} is already used`)
  })
})
