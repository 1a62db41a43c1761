/** The cache when the API server or the network fails, both played by a fake server. */
import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { ResourceCache, type CacheEvent, type CacheOptions } from '../../../cluster/cache/cache.ts'
import { connectCluster } from '../../../cluster/client.ts'
import { silentLog } from '../../../cluster/objects/log.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { eventually } from '../eventually.ts'
import { startFakeServer, type FakeServer, type Item } from '../fake-server.ts'

describe('the cache, when the server fails it', () => {
  let server: FakeServer
  let client: ReturnType<typeof connectCluster>
  let cache: ResourceCache<Item>
  let received: string[]

  function open(options: Partial<CacheOptions<Item>> = {}) {
    cache = new ResourceCache<Item>({
      client,
      type: coreTypes.configMap,
      namespace: 'default',
      log: silentLog,
      ...options,
      timing: { firstRetryMs: 20, mostRetryMs: 100, ...options.timing },
    })
    received = []
    cache.onChange(({ type, object, initial }: CacheEvent<Item>) =>
      received.push(`${initial ? 'initial ' : ''}${type} ${object.metadata.name}`),
    )
    return cache.start()
  }

  const watching = () => eventually('a watch stands', () => server.openWatches() === 1)

  beforeEach(async () => {
    server = await startFakeServer()
    client = connectCluster({ kubeconfig: server.kubeconfig })
  })

  afterEach(async () => {
    await cache.stop()
    await client.close()
    await server.stop()
  })

  it('reports the first list as initial, and what follows as changes', async () => {
    server.set('a')
    await open()
    expect(received).to.deep.equal(['initial add a'])
    server.set('b')
    server.set('a', { x: '1' })
    server.remove('b')
    await eventually('three more events', () => received.length === 4)
    expect(received.slice(1)).to.deep.equal(['add b', 'update a', 'delete b'])
    expect(cache.list().map((item) => item.kind)).to.deep.equal(['ConfigMap'])
  })

  for (const as of ['status', 'event'] as const) {
    it(`lists again after a 410 that came as ${as}, and reports what changed during the gap`, async () => {
      server.set('kept')
      server.set('changed')
      server.set('gone')
      await open()
      await watching()
      server.mute(true)
      server.set('changed', { x: '2' })
      server.remove('gone')
      server.set('new')
      server.compact(as)
      received.length = 0
      server.dropWatches()
      server.mute(false)
      await eventually('the changes of the gap arrive', () => received.length === 3)
      expect(received.toSorted()).to.deep.equal(['add new', 'delete gone', 'update changed'])
      expect(server.requests.filter((request) => request === 'GET list')).to.have.length(2)
      server.set('after')
      await eventually('it follows again', () => received.includes('add after'))
    })
  }

  it('reports an object that was created again under the same name as deleted and added', async () => {
    server.set('a')
    await open()
    await watching()
    server.mute(true)
    server.remove('a')
    server.set('a')
    server.compact('status')
    received.length = 0
    server.dropWatches()
    server.mute(false)
    await eventually('both arrive', () => received.length === 2)
    expect(received).to.deep.equal(['delete a', 'add a'])
  })

  it('survives answers of 500 and goes on from where it was, without a list', async () => {
    server.set('a')
    const health: string[] = []
    await open({ onHealth: ({ state }) => health.push(state) })
    await watching()
    server.refuse(3, 500)
    server.dropWatches()
    server.set('b')
    await eventually('the event arrives', () => received.includes('add b'))
    expect(server.requests.filter((request) => request === 'GET list')).to.have.length(1)
    expect(health).to.include('retrying')
    expect(health.at(-1)).to.equal('live')
  })

  it('waits for a first list that fails, and then starts', async () => {
    server.set('a')
    server.refuse(4, 503)
    await open()
    expect(cache.synced).to.equal(true)
    expect(cache.list()).to.have.length(1)
  })

  it('lists again when the server keeps refusing to watch from its version', async () => {
    await open()
    await watching()
    server.refuse(5, 500)
    server.dropWatches()
    await eventually('a second list', () => server.requests.filter((request) => request === 'GET list').length === 2)
  })

  it('resumes a dropped stream from the last version without a gap', async () => {
    await open()
    await watching()
    const first = server.set('a')
    await eventually('the event arrives', () => received.includes('add a'))
    server.mute(true)
    server.set('b')
    server.set('c')
    server.dropWatches()
    server.mute(false)
    await eventually('what was missed arrives', () => received.includes('add c'))
    expect(received).to.deep.equal(['add a', 'add b', 'add c'])
    expect(server.requests.at(-1)).to.equal(`GET watch ${first.metadata.resourceVersion}`)
  })

  it('goes on after the server ended the watch politely', async () => {
    await open()
    await watching()
    server.endWatches()
    await eventually(
      'a second watch',
      () => server.requests.filter((request) => request.startsWith('GET watch')).length === 2,
    )
    server.set('a')
    await eventually('the event arrives', () => received.includes('add a'))
    expect(server.requests.filter((request) => request === 'GET list')).to.have.length(1)
  })

  it('detects a silent connection, renews the watch, and lists after a second silence', async () => {
    await open({ timing: { silenceMs: 600 } })
    await watching()
    server.mute(true)
    server.set('a')
    await eventually(
      'the watch is renewed',
      () => server.requests.filter((request) => request.startsWith('GET watch')).length === 2,
    )
    expect(server.requests.filter((request) => request === 'GET list')).to.have.length(1)
    await eventually('what was missed arrives', () => cache.get('a', 'default') !== undefined)
    expect(server.requests.filter((request) => request === 'GET list')).to.have.length(2)
  }).timeout(8_000)

  it('takes bookmarks as signs of life and resumes from them', async () => {
    await open()
    await watching()
    await sleep(60)
    const { version } = cache
    expect(cache.ageMs()).to.be.greaterThan(50)
    server.bookmark()
    await eventually('the bookmark arrives', () => cache.ageMs() < 50)
    expect(cache.version).to.equal(version)
    const bookmarked = server.version()
    server.dropWatches()
    await eventually('it resumes from the bookmark', () => server.requests.at(-1) === `GET watch ${bookmarked}`)
  })

  it('trusts a server that went back in time', async () => {
    server.set('a')
    server.set('b')
    await open()
    await watching()
    const before = server.version()
    server.wipe()
    server.set('b')
    server.bookmark()
    await eventually('the new world is there', () => cache.list().length === 1)
    expect(Number(server.version())).to.be.lessThan(Number(before))
    expect(cache.get('b', 'default')?.metadata.resourceVersion).to.equal('2')
    server.set('c')
    await eventually('it follows', () => received.includes('add c'))
  })

  it('says how stale it is while the server is away, and 0 while a watch stands', async () => {
    await open()
    await watching()
    await sleep(50)
    expect(cache.staleMs()).to.equal(0)
    server.refuse(1_000, 500)
    server.dropWatches()
    await eventually('it is stale', () => cache.staleMs() > 0)
    server.refuse(0, 500)
    await eventually('it is fresh', () => cache.staleMs() === 0)
  })

  it('starts empty for an optional type that is not installed, and finds it later', async () => {
    server.refuse(1, 404)
    server.set('a')
    await open({ optional: true, timing: { absentRetryMs: 40 } })
    expect(cache.synced).to.equal(true)
    expect(cache.list()).to.deep.equal([])
    await eventually('it is found', () => received.includes('initial add a'))
  })

  it('holds nothing of an optional type that was uninstalled, nor what its writer put meanwhile', async () => {
    const object = server.set('a')
    await open({ optional: true, timing: { absentRetryMs: 40 } })
    await watching()
    server.refuse(1_000, 404)
    server.dropWatches()
    await eventually('it is gone', () => received.includes('delete a'))
    cache.put({ ...object, metadata: { ...object.metadata, uid: 'put-while-absent' } })
    expect(cache.list(), 'its writer reads it at once').to.have.length(1)
    await eventually('what was put is gone', () => cache.list().length === 0)
    server.refuse(0, 404)
    await eventually('it is found again', () => cache.list().length === 1)
  })

  it('stops while the server never answers, and start() says so', async () => {
    server.refuse(1_000, 500)
    const started = open()
    await sleep(50)
    await cache.stop()
    const error = await started.then(
      () => undefined,
      (reason: unknown) => reason,
    )
    expect(String(error)).to.contain('stopped before its first list')
    await sleep(150) // a busy server counts the request that the stop cut off only now
    const asked = server.requests.length
    await sleep(150)
    expect(server.requests).to.have.length(asked)
  })
})
