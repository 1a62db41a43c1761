/** The guarantees of the cache to its readers: their own writes, stable arrays, order, indexes, waiting. */
import { expect } from 'chai'
import { setTimeout as sleep } from 'node:timers/promises'
import { ResourceCache, type CacheOptions } from '../../../cluster/cache/cache.ts'
import { connectCluster } from '../../../cluster/client.ts'
import { silentLog } from '../../../cluster/objects/log.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { eventually } from '../eventually.ts'
import { startFakeServer, type FakeServer, type Item } from '../fake-server.ts'

describe('the cache', () => {
  let server: FakeServer
  let client: ReturnType<typeof connectCluster>
  let cache: ResourceCache<Item>
  let received: string[]

  async function open(options: Partial<CacheOptions<Item>> = {}) {
    cache = new ResourceCache<Item>({
      client,
      type: coreTypes.configMap,
      namespace: 'default',
      log: silentLog,
      ...options,
    })
    await cache.start()
    await eventually('a watch stands', () => server.openWatches() === 1)
    received = []
    cache.onChange(({ type, object }) =>
      received.push(`${type} ${object.metadata.name} ${object.metadata.resourceVersion}`),
    )
  }

  /** Writes and returns the server's answer while the watch lags. */
  function write(name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}): Item {
    server.mute(true)
    return server.set(name, data, labels)
  }

  const valueOf = (name: string) => cache.get(name, 'default')?.data?.['x']

  beforeEach(async () => {
    server = await startFakeServer()
    client = connectCluster({ kubeconfig: server.kubeconfig })
  })

  afterEach(async () => {
    await cache.stop()
    await client.close()
    await server.stop()
  })

  it('shows a put object at once, and the echo of it or of an older version never undoes it', async () => {
    server.set('a', { x: '1' })
    await open()
    write('a', { x: '2' })
    const newest = write('a', { x: '3' })
    cache.put(newest)
    expect(valueOf('a')).to.equal('3')
    const { version } = cache
    server.mute(false)
    server.bookmark()
    await eventually('the echoes are in', () => cache.ageMs() < 20)
    await sleep(20)
    expect(valueOf('a')).to.equal('3')
    expect(cache.version).to.equal(version)
    expect(received).to.deep.equal([`update a ${newest.metadata.resourceVersion}`])
  })

  it('leaves an older put aside', async () => {
    const older = server.set('a', { x: '1' })
    server.set('a', { x: '2' })
    await open()
    cache.put(older)
    expect(valueOf('a')).to.equal('2')
    expect(received).to.deep.equal([])
  })

  it('gives an object that must not be older than a version only where it is known not to be', async () => {
    const [older, held, newer] = [server.set('a', { x: '1' }), server.set('a', { x: '2' }), server.set('b')]
    await open()
    const since = ({ metadata }: Item) => cache.getSince(metadata.resourceVersion, 'a', 'default')?.data?.['x']
    expect([since(older), since(held), since(newer)]).to.deep.equal(['2', '2', undefined])
    expect(cache.getSince('not a number', 'a', 'default')).to.equal(undefined)
    expect(cache.getSince(undefined, 'a', 'default'), 'without a version').to.equal(undefined)
    expect(cache.getSince(older.metadata.resourceVersion, 'c', 'default'), 'of what is not there').to.equal(undefined)
  })

  it('does not bring back what was deleted before its writer came to put it', async () => {
    await open()
    const made = server.set('a')
    server.remove('a')
    await eventually('both events are in', () => received.length === 2)
    cache.put(made)
    expect(cache.list()).to.deep.equal([])
  })

  it('lets the watch delete what was put', async () => {
    await open()
    cache.put(write('a'))
    expect(received).to.have.length(1)
    server.remove('a')
    server.mute(false)
    await eventually('it is gone', () => cache.list().length === 0)
    expect(received.map((line) => line.split(' ')[0])).to.deep.equal(['add', 'delete'])
  })

  it('keeps what was put after the list was made', async () => {
    await open()
    server.mute(true)
    server.set('a')
    server.compact('status')
    const listed = server.version()
    const later = {
      ...server.set('b'),
      metadata: { ...server.set('b').metadata, resourceVersion: String(Number(listed) + 50) },
    }
    server.remove('b')
    server.compact('status')
    cache.put(later)
    server.dropWatches()
    await eventually('the list is in', () => cache.get('a', 'default') !== undefined)
    expect(cache.get('b', 'default')).to.not.equal(undefined)
  })

  it('keeps a deleted object away when older events of it arrive late', async () => {
    const first = server.set('a')
    await open()
    server.mute(true)
    server.set('a', { x: '2' })
    server.remove('a')
    cache.forget(first)
    expect(cache.list()).to.deep.equal([])
    server.mute(false)
    server.set('end')
    await eventually('the late events are in', () => received.some((line) => line.startsWith('add end')))
    expect(received.filter((line) => line.includes(' a ')).map((line) => line.split(' ')[0])).to.deep.equal(['delete'])
  })

  it('keeps a newer object of the same name when the deletion of the old one arrives late', async () => {
    server.set('a', { x: 'old' })
    await open()
    server.mute(true)
    server.remove('a')
    cache.put(server.set('a', { x: 'new' }))
    expect(received.map((line) => line.split(' ')[0])).to.deep.equal(['delete', 'add'])
    server.mute(false)
    server.set('end')
    await eventually('the late events are in', () => received.some((line) => line.startsWith('add end')))
    expect(valueOf('a')).to.equal('new')
    expect(received).to.have.length(3)
  })

  it('takes no put from outside its selection, and drops what leaves it', async () => {
    server.set('a', {}, { app: 'shop' })
    await open({ labelSelector: 'app=shop' })
    cache.put(write('b', {}, { app: 'other' }))
    expect(cache.list().map((item) => item.metadata.name)).to.deep.equal(['a'])
    cache.put(write('a', {}, { app: 'other' }))
    expect(cache.list()).to.deep.equal([])
    expect(received.map((line) => line.split(' ')[0])).to.deep.equal(['delete'])
  })

  it('hands out the same array until something changes, sorted by name', async () => {
    for (const name of ['c', 'a', 'b']) server.set(name)
    await open()
    const before = cache.list()
    expect(before.map((item) => item.metadata.name)).to.deep.equal(['a', 'b', 'c'])
    expect(cache.list()).to.equal(before)
    cache.put(write('aa'))
    expect(before).to.have.length(3)
    expect(cache.list().map((item) => item.metadata.name)).to.deep.equal(['a', 'aa', 'b', 'c'])
  })

  it('answers by index, and an index array changes only with its own objects', async () => {
    server.set('a', { x: 'red' })
    server.set('b', { x: 'blue' })
    await open({ indexes: { color: (item) => [item.data?.['x'] ?? 'none'] } })
    const blue = cache.by('color', 'blue')
    cache.put(write('a', { x: 'green' }))
    expect(cache.by('color', 'red')).to.deep.equal([])
    expect(cache.by('color', 'green').map((item) => item.metadata.name)).to.deep.equal(['a'])
    expect(cache.by('color', 'blue')).to.equal(blue)
    expect(() => cache.by('colour', 'red')).to.throw('no index "colour"')
  })

  it("trims what it keeps, leaves the caller's object alone, and survives a trim or an index that throws", async () => {
    await open({
      trim: (item) => {
        if (item.metadata.name === 'bad') throw new Error('trim')
        const { data: _, ...rest } = item
        return rest
      },
      indexes: {
        broken: () => {
          throw new Error('index')
        },
      },
    })
    const mine = { ...write('a', { x: '1' }) }
    mine.metadata = { ...mine.metadata, managedFields: [{}] }
    cache.put(mine)
    expect(cache.get('a', 'default')).to.not.have.property('data')
    expect(cache.get('a', 'default')?.metadata).to.not.have.property('managedFields')
    expect(mine.metadata.managedFields).to.deep.equal([{}])
    server.mute(false)
    server.set('bad', { x: '1' })
    await eventually('it is kept untrimmed', () => valueOf('bad') === '1')
  })

  it('notifies every listener in order, though one throws and one writes', async () => {
    await open()
    cache.onChange(() => {
      throw new Error('a listener')
    })
    cache.onChange(({ object }) => {
      if (object.metadata.name === 'a') cache.put(write('b'))
    })
    const late: string[] = []
    const stopListening = cache.onChange(({ type, object }) => late.push(`${type} ${object.metadata.name}`))
    cache.put(write('a'))
    expect(late).to.deep.equal(['add a', 'add b'])
    stopListening()
    cache.put(write('c'))
    expect(late).to.have.length(2)
  })

  it('waits for a state: one that holds at once, one that comes later, one that never comes, and until it is aborted', async () => {
    server.set('a', { x: '1' })
    await open()
    const isValue = (value: string) => (item: Item | undefined) => item?.data?.['x'] === value
    expect(await cache.waitFor(isValue('1'), 'a', 'default', { timeoutMs: 1_000 })).to.equal(true)
    const later = cache.waitFor(isValue('2'), 'a', 'default', { timeoutMs: 5_000 })
    server.set('a', { x: '2' })
    expect(await later).to.equal(true)
    expect(await cache.waitFor(isValue('3'), 'a', 'default', { timeoutMs: 30 })).to.equal(false)
    const controller = new AbortController()
    const given = cache
      .waitFor(isValue('3'), 'a', 'default', { timeoutMs: 5_000, signal: controller.signal })
      .catch((reason: unknown) => reason)
    controller.abort(new Error('enough'))
    expect(String(await given)).to.equal('Error: enough')
    const gone = cache.waitFor((item) => item === undefined, 'a', 'default', { timeoutMs: 5_000 })
    server.remove('a')
    expect(await gone).to.equal(true)
    const atStop = cache.waitFor(isValue('3'), 'a', 'default', { timeoutMs: 5_000 })
    await cache.stop()
    expect(await atStop).to.equal(false)
  })
})
