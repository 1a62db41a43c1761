/** Whether the place of an empty list exists. */
import { expect } from 'chai'
import { createClient } from '../../client/client.ts'
import { missingPlace, type Place } from '../../client/places.ts'
import { recordOf } from './records.ts'
import { startRecordedService, type RecordedService } from './recorded-service.ts'

describe('the place of an empty list', () => {
  let service: RecordedService
  beforeEach(async () => {
    service = await startRecordedService()
    const { resource } = recordOf({ kind: 'project', name: 'proj-1', details: { environments: ['production'] } })
    const { resource: other } = recordOf({ kind: 'project', name: 'proj-2', details: { environments: ['staging'] } })
    service.on('GET /projects', { json: { items: [resource, other] } })
    service.on('GET /me', { json: { role: 'viewer', scope: 'workspace' } })
  })
  afterEach(async () => await service.stop())
  const ask = async (place: Place) =>
    await missingPlace(createClient({ baseUrl: service.url, userAgent: 'test' }), place, new AbortController().signal)

  for (const [place, said] of [
    [{ project: 'proj-1' }, undefined],
    [{ environment: 'staging' }, undefined],
    [{ project: 'proj-1', environment: 'production' }, undefined],
    [{ project: 'proj-3' }, 'project proj-3 not found'],
    [{ environment: 'nope' }, 'no project has an environment nope'],
    [{ project: 'proj-1', environment: 'staging' }, 'the project has no environment staging'],
  ] as const)
    it(`${JSON.stringify(place)}: ${said ?? 'exists'}`, async () => expect(await ask(place)).to.equal(said))

  it('is not asked about without one, nor by a project token', async () => {
    expect(await ask({})).to.equal(undefined)
    expect(service.asked).to.deep.equal([])
    service.on('GET /me', { json: { role: 'project', scope: 'project' } })
    expect(await ask({ environment: 'nope' })).to.equal(undefined)
    expect(service.routes()).to.deep.equal(['GET /me'])
  })
})
