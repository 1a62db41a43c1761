/**
 * How much of the source a look at a service goes through, as docs/guides/how-a-request-travels.md#how-long-a-look-is
 * has it: the files whose functions it enters, and how often it comes back to one that it had left. A rule that is
 * worked out again where its value could be passed on shows here.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'

/**
 * They shrink, unless a defect is fixed by a look at more; what goes beyond names the files that it comes back to
 * most.
 */
const most: Record<string, { files: number; returns: number }> = {
  'a rollout whose copies start: waiting': { files: 11, returns: 8 },
  'a rollout whose copies are up: ended': { files: 12, returns: 7 },
  'a check of what rests: ended': { files: 12, returns: 8 },
  'a rollout of a function whose copies start: waiting': { files: 11, returns: 8 },
  'a rollout of a function whose copies are up: ended': { files: 16, returns: 20 },
  'a check of what rests of a function: ended': { files: 16, returns: 20 },
  'a rollout that sleeps when idle whose copies start: waiting': { files: 13, returns: 15 },
  'a rollout that sleeps when idle whose copies are up: ended': { files: 22, returns: 18 },
  'a check of what rests that sleeps when idle: ended': { files: 17, returns: 14 },
}

/** The files that each kind of look enters, one after the other. */
async function walk(): Promise<Record<string, string[]>> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--import',
    join(import.meta.dirname, 'entered.ts'),
    join(import.meta.dirname, 'look-world.ts'),
  ])
  return JSON.parse(stdout) as Record<string, string[]>
}

function countOf(stays: readonly string[]) {
  const times = new Map<string, number>()
  for (const file of stays) times.set(file, (times.get(file) ?? 0) + 1)
  const often = [...times].toSorted(([, a], [, b]) => b - a).slice(0, 5)
  return { files: times.size, returns: stays.length - times.size, often: often.map(([file, n]) => `${file} ${n}×`) }
}

describe('the way of a look', () => {
  let ways: Record<string, string[]>
  before(async () => {
    ways = await walk()
  })

  for (const [title, limit] of Object.entries(most))
    it(`of ${title}`, () => {
      const { files, returns, often } = countOf(ways[title] ?? [])
      expect(files, 'the look was not made').to.be.greaterThan(10)
      expect(files, 'files').to.be.at.most(limit.files)
      expect(returns, `returns, most of all to ${often.join(', ')}`).to.be.at.most(limit.returns)
    })
})
