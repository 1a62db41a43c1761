/**
 * The writes of a story that a worker dies at, each a test: a few that stand for their sort, or, with SVC_KILL_ALL=1,
 * all of them.
 */
import { expect } from 'chai'
import type { Death } from './mortal-client.ts'
import type { MortalProcess } from './mortal-process.ts'

export type WritePoint = Pick<Death, 'when' | 'write'>

const outlivedMs = 1_500
/** Enough for every write of a story, one after the other. */
const allWithinMs = 900_000

/**
 * Whether it died before the story had settled, or a moment later: the last write of a story is the one that settles
 * it.
 */
export async function diesWith(worker: MortalProcess, settled: Promise<unknown>): Promise<boolean> {
  settled.catch(() => undefined) // heard by whoever asked
  await Promise.race([worker.gone, settled])
  if (worker.alive) await Promise.race([worker.gone, new Promise((resolve) => setTimeout(resolve, outlivedMs))])
  return !worker.alive
}

/**
 * `tell` tells the story with a worker that dies at the point, and answers whether it did: it does not where the story
 * has fewer writes.
 */
export function atWrites(
  few: readonly WritePoint[],
  title: (where: string) => string,
  tell: (point: WritePoint) => Promise<boolean>,
): void {
  if (process.env['SVC_KILL_ALL'] === undefined) {
    for (const point of few) {
      it(title(`${point.when} write ${point.write}`), async () => {
        expect(await tell(point), 'the worker died').to.equal(true)
      })
    }
    return
  }
  for (const when of ['before', 'after'] as const) {
    it(title(`${when} each write`), async function () {
      this.timeout(allWithinMs)
      let write = 1
      while (await tell({ when, write })) write += 1
      expect(write, 'the first write that is not there').to.be.greaterThan(Math.max(...few.map((point) => point.write)))
    })
  }
}
