/** How many copies a sleeping service gets on one machine, as a table. */
import { expect } from 'chai'
import { copiesWanted, type Requests, type Seen, seenNow } from '../../one-machine/serverless/copies.ts'

const bounds = { least: 0, most: 3, idleSeconds: 60, requestsPerCopy: 100 }
const requests = (Concurrency: number, RequestCount = 0): Requests => ({ Concurrency, RequestCount })
const seen = (atOnce: number, busyAt = 0): Seen => ({ requests: requests(atOnce), busyAt })

describe('the scaler of one machine', () => {
  const table: [string, copies: number, Seen, now: number, Partial<typeof bounds>, number][] = [
    ['starts the first copy for one request', 0, seen(1), 0, {}, 1],
    ['starts as many as the requests need', 0, seen(250), 0, {}, 3],
    ['keeps to the most', 1, seen(1000), 0, {}, 3],
    ['keeps what runs while requests come', 3, seen(1), 0, {}, 3],
    ['keeps what runs until it was idle for long enough', 2, seen(0), 59_999, {}, 2],
    ['lets all go then', 2, seen(0), 60_000, {}, 0],
    ['leaves what sleeps asleep', 0, seen(0), 90_000, {}, 0],
    ['starts what a deploy needs, without a request', 0, seen(0), 90_000, { least: 1 }, 1],
    ['keeps what a deploy needs', 1, seen(0), 90_000, { least: 1 }, 1],
    ['takes away what is too much', 5, seen(0), 0, {}, 3],
    ['starts more than the most where sleep ends', 0, seen(0), 0, { least: 4 }, 4],
  ]
  for (const [title, copies, state, now, change, wanted] of table)
    it(title, () => expect(copiesWanted(copies, { ...bounds, ...change }, state, now)).to.equal(wanted))

  it('takes a service that it sees first for busy, and one whose requests came and went between two looks', () => {
    const first = seenNow(undefined, requests(0, 7), 1_000)
    expect(first.busyAt).to.equal(1_000)
    expect(seenNow(first, requests(0, 7), 2_000).busyAt).to.equal(1_000)
    expect(seenNow(first, requests(0, 8), 2_000).busyAt).to.equal(2_000)
    expect(seenNow(first, requests(1, 7), 2_000).busyAt).to.equal(2_000)
    expect(seenNow(first, requests(0, 0), 2_000).busyAt, 'the interceptor was started anew').to.equal(2_000)
  })
})
