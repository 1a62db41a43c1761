/**
 * The order of deploys when the clocks of the accepting processes differ: the order of acceptance, never of the clocks.
 */
import { expect } from 'chai'
import { viewOf } from '../../kinds/apps/view.ts'
import { createApp, createProject, deploy, type TestRecords, useRecords } from '../harness/records.ts'

const behindMs = 15 * 60_000

describe('deploys', () => {
  let records: TestRecords

  before(async function () {
    this.timeout(120_000)
    records = await useRecords()
  })

  it('are in the order in which they were accepted, though the second one was by an api whose clock is 15 minutes behind', async () => {
    const app = await createApp(records, await createProject(records))
    const first = viewOf(await deploy(records, app)).attempt
    const second = viewOf(await deploy({ ...records, now: () => new Date(Date.now() - behindMs) }, app)).attempt
    const third = viewOf(await deploy(records, app)).attempt
    const [a = 0, b = 0, c = 0] = [first, second, third].map((attempt) => Date.parse(attempt?.at ?? ''))
    expect(b).to.be.greaterThan(a)
    expect(c).to.be.greaterThan(b)
    expect(
      (await records.deployments.readLive(second?.record ?? ''))?.status?.startedAt,
      'its record says so, too',
    ).to.equal(second?.at)
  })
})
