/**
 * One connection to a pod's log for all listeners; each listener gets the lines that a connection of its own would
 * give.
 */
import { expect } from 'chai'
import { createPodFollows } from '../../api/logs/pod-follows.ts'
import type { PodFollow } from '../../api/context/needs.ts'
import { LineQueue } from '../../api/logs/line-queue.ts'
import type { ClusterClient } from '../../cluster/client.ts'
import { eventually } from '../cluster/eventually.ts'

/** A node: the requests of its connections, and a function that writes to all open ones. */
function node() {
  const asked: string[] = []
  const open = new Set<LineQueue<Buffer>>()
  const client = {
    async stream(_path: string, { query, signal }: { query: Record<string, string | undefined>; signal: AbortSignal }) {
      asked.push(query['sinceTime'] ?? query['sinceSeconds'] ?? 'all')
      const queue = new LineQueue<Buffer>(signal)
      open.add(queue)
      signal.addEventListener('abort', () => open.delete(queue), { once: true })
      return queue.take()
    },
  } as unknown as ClusterClient // followPodLogs uses nothing else
  const write = (...lines: string[]): void => {
    for (const queue of open) void queue.put(Buffer.from(lines.map((line) => `${line}\n`).join('')))
  }
  return { client, asked, open, write }
}

const at = (second: number, text: string): string =>
  `2026-11-21T10:00:${String(second).padStart(2, '0')}.000000000Z ${text}`

describe('followed pods', () => {
  const ended: AbortController[] = []
  afterEach(() => {
    for (const each of ended.splice(0)) each.abort()
  })

  function listen(follows: ReturnType<typeof createPodFollows>, wanted: Partial<PodFollow> = {}) {
    const received: string[] = []
    const stop = new AbortController()
    ended.push(stop)
    const all = {
      uid: 'u',
      namespace: 'n',
      pod: 'p',
      container: 'c',
      last: '',
      sinceSeconds: undefined,
      signal: stop.signal,
      ...wanted,
    }
    const done = (async () => {
      for await (const line of follows.follow(all)) received.push(line.slice(-1))
    })()
    return { received, stop: () => stop.abort(), done }
  }

  it('are one connection for many listeners, which ends with the last of them', async () => {
    const { client, asked, open, write } = node()
    const follows = createPodFollows(client)
    const crowd = Array.from({ length: 20 }, () => listen(follows))
    await eventually('it is open', () => open.size === 1)
    write(at(1, 'a'), at(2, 'b'))
    await eventually('all have both lines', () => crowd.every(({ received }) => received.join('') === 'ab'))
    for (const each of crowd.slice(1)) each.stop()
    write(at(3, 'c'))
    await eventually('the one that is left has the third', () => crowd[0]?.received.join('') === 'abc')
    expect([asked, follows.open]).to.deep.equal([['all'], 1])
    crowd[0]?.stop()
    await eventually('no listener is left', () => open.size === 0 && follows.open === 0)
    listen(follows)
    await eventually('it is opened anew', () => asked.length === 2)
  })

  it('send a later listener the buffered lines after the last one that it has', async () => {
    const { client, asked, open, write } = node()
    const follows = createPodFollows(client)
    const first = listen(follows)
    await eventually('it is open', () => open.size === 1)
    write(at(1, 'a'), at(2, 'b'))
    await eventually('it has both lines', () => first.received.length === 2)
    const later = listen(follows, { last: '2026-11-21T10:00:02.000000000Z' })
    write(at(3, 'c'))
    await eventually(
      'both have all lines',
      () => first.received.join('') === 'abc' && later.received.join('') === 'abc',
    )
    expect(asked).to.deep.equal(['all'])
  })

  it('are followed apart by one who needs lines from before the shared connection began', async () => {
    const { client, asked, open } = node()
    const follows = createPodFollows(client)
    listen(follows, { last: '2026-11-21T10:00:30.500000000Z' })
    await eventually('it is open', () => open.size === 1)
    listen(follows, { last: '2026-11-21T10:00:10.500000000Z' })
    listen(follows)
    await eventually('they have their own', () => open.size === 3)
    listen(follows, { last: '2026-11-21T10:00:31.000000000Z' })
    await eventually(
      'they asked for what they need',
      () => asked.join() === '2026-11-21T10:00:30Z,2026-11-21T10:00:10Z,all',
    )
    expect(follows.open).to.equal(3)
  })

  it('do not wait for a slow listener, who asks again when it is too far behind', async () => {
    const { client, open, write } = node()
    const follows = createPodFollows(client)
    const quick = listen(follows)
    const slow = follows.follow({
      uid: 'u',
      namespace: 'n',
      pod: 'p',
      container: 'c',
      last: '',
      sinceSeconds: undefined,
      signal: AbortSignal.timeout(20_000),
    })
    const taken = slow.next()
    await eventually('it is open', () => open.size === 1)
    for (let n = 0; n < 50; n += 1) {
      write(...Array.from({ length: 100 }, () => at(5, 'x')))
      await eventually('the quick one has them', () => quick.received.length === (n + 1) * 100)
    }
    expect((await taken).done).to.equal(false)
    expect((await slow.next()).done, 'it has to ask again').to.equal(true)
  }).timeout(30_000)

  it('are limited in number', async () => {
    const { client, asked } = node()
    const follows = createPodFollows(client, 2)
    for (const uid of ['a', 'b']) listen(follows, { uid })
    await eventually('two are open', () => follows.open === 2)
    await listen(follows, { uid: 'c' }).done
    expect(asked).to.have.length(2)
  })
})
