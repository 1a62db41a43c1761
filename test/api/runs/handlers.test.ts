/** What the api adds to a run that Temporal lists: the service of a build, which the record says. */
import { expect } from 'chai'
import { runHandlers } from '../../../api/runs/handlers.ts'

type Handlers = ReturnType<typeof runHandlers>

const run = (kind: string, resource: string) => ({
  id: 'r1',
  workflow: `${kind}/${resource}`,
  kind,
  resource,
  project: '',
  environment: '',
  action: kind,
  actor: '',
  outcome: 'ended' as const,
  startedAt: '2026-01-01T00:00:00Z',
})
const records = (app: string, ...names: string[]) => ({
  get: (name: string) => (names.includes(name) ? { spec: { app } } : undefined),
})
const needs = {
  caches: { builds: records('site', 'site-aaaaa-bbbbb'), deployments: records('shop', 'shop-ccccc') },
  runs: {
    list: async () => ({ items: [run('app', 'site-aaaaa-bbbbb'), run('build', 'site-aaaaa-bbbbb')], cursor: '' }),
    get: async (resource: string) => ({ ...run('build', resource), steps: [], shortened: false }),
  },
} as unknown as Parameters<typeof runHandlers>[0]

describe('the run of a build', () => {
  const handlers = runHandlers(needs)
  const get = async (resource: string) =>
    await handlers['runs.get']({ params: { run: resource } } as Parameters<Handlers['runs.get']>[0])

  it('says which service it is of in a list, and no other run does', async () => {
    const { items } = await handlers['runs.list']({ params: {} } as Parameters<Handlers['runs.list']>[0])
    expect(items.map(({ service }) => service)).to.deep.equal([undefined, 'site'])
  })
  it('says so by its deploy once the build is gone, and nothing once both are', async () => {
    expect((await get('shop-ccccc')).service).to.equal('shop')
    expect(await get('gone-ddddd')).not.to.have.property('service')
  })
})
