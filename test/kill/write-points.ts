/**
 * The writes of a scenario at which a process is killed, one test each: a sample, or with SVC_KILL_ALL=1 all of them. A
 * sample names a write by `after`, or by `before` where no sampled write precedes it directly: both leave the same.
 */
import { expect } from 'chai'
import type { Death } from './mortal-client.ts'
import type { MortalProcess } from './mortal-process.ts'

export type WritePoint = Pick<Death, 'when' | 'write'>

const killsAll = process.env['SVC_KILL_ALL'] !== undefined

/** The points of a scenario that has a list of its own: `more` only with SVC_KILL_ALL=1. */
export const pointsOf = <Few, More>(sample: readonly Few[], more: readonly More[]): readonly (Few | More)[] =>
  killsAll ? [...sample, ...more] : sample

const outlivedMs = 1_500
/** Enough for every write of a scenario, one after the other. */
const allWithinMs = 900_000

/** Whether the worker died before the scenario had ended, or a moment later: the last write of a scenario ends it. */
export async function diesWith(worker: MortalProcess, completion: Promise<unknown>): Promise<boolean> {
  completion.catch(() => undefined) // the caller handles the failure
  await Promise.race([worker.gone, completion])
  if (worker.alive) await Promise.race([worker.gone, new Promise((resolve) => setTimeout(resolve, outlivedMs))])
  return !worker.alive
}

/**
 * `runScenario` runs it with a worker that dies at the point, and returns whether it died: it does not where there are
 * fewer writes.
 */
export function atWrites(
  few: readonly WritePoint[],
  title: (where: string) => string,
  runScenario: (point: WritePoint) => Promise<boolean>,
): void {
  if (!killsAll) {
    for (const point of few) {
      it(title(`${point.when} write ${point.write}`), async () => {
        expect(await runScenario(point), 'the worker died').to.equal(true)
      })
    }
    return
  }
  for (const when of ['before', 'after'] as const) {
    it(title(`${when} each write`), async function () {
      this.timeout(allWithinMs)
      let write = 1
      while (await runScenario({ when, write })) write += 1
      expect(write, 'the first write that is not there').to.be.greaterThan(Math.max(...few.map((point) => point.write)))
    })
  }
}
