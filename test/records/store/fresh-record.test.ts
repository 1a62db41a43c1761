/** A pass that begins on the cached record, and goes on with the live one where the cached one may not decide. */
import { expect } from 'chai'
import { onFreshRecord, onKnownRecord } from '../../../records/store/retry.ts'
import type { App } from '../../../kinds/apps/kind.ts'
import { resourceTypes } from '../../../kinds/meta/resource-types.ts'
import { behindStore, createApp, createProject, type TestRecords, useRecords } from '../../harness/records.ts'

describe('a pass over a record that is known', function () {
  this.timeout(60_000)
  let records: TestRecords
  let app: App

  before(async () => {
    records = await useRecords()
    app = await createApp(records, await createProject(records))
  })

  /** The records that a pass is given which leaves the decision to the live one. */
  async function given(): Promise<App[]> {
    const seen: App[] = []
    await onKnownRecord(
      behindStore(records.client, resourceTypes.app, [app]),
      app.metadata.name,
      app.metadata.uid,
      async (record, isLive) => {
        seen.push(record)
        return isLive ? {} : undefined
      },
      () => ({}),
    )
    return seen
  }

  it('is given the cached record again where the cluster has no other, so what was made of it holds', async () => {
    const [cached, live, ...others] = await given()
    expect(cached?.metadata.uid).to.equal(app.metadata.uid)
    expect(live).to.equal(cached)
    expect(others).to.deep.equal([])
  })

  it('is given the cached record where it asks for the live one, and the cluster has no other', async () => {
    const { name, uid = '' } = app.metadata
    const store = behindStore(records.client, resourceTypes.app, [app])
    const cached = store.cache.get(name, app.metadata.namespace)
    expect(
      await onFreshRecord(
        store,
        name,
        uid,
        async (record) => record,
        () => undefined,
      ),
    ).to.equal(cached)
  })

  it('is given the record of the cluster where that is another', async () => {
    const edited = await records.apps.edit(app.metadata.name, (current) => ({
      ...current,
      spec: { ...current.spec, port: 9090 },
    }))
    const [cached, live] = await given()
    expect(cached?.metadata.resourceVersion).to.equal(app.metadata.resourceVersion)
    expect(live?.metadata.resourceVersion).to.equal(edited?.metadata.resourceVersion)
    expect(live?.spec.port).to.equal(9090)
  })
})
