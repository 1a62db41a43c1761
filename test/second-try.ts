/**
 * The second try of a whole run. Its lanes share a machine with servers of a dozen kinds, and one test of thousands
 * that loses a race there hides what the other tests say. Few files that failed run once more by themselves, and the
 * run says which tests passed only then: each is a defect to find, as CONTRIBUTING.md says, but not of this change.
 */
import { relative } from 'node:path'
import type { Runner, Test } from 'mocha'

export interface Counts {
  passed: number
  failed: number
}

/** Counts by file of the repository. */
export type FileCounts = Record<string, Counts>

/** Starts counting what passes and fails in each file; hooks that fail count as failed tests, as mocha counts them. */
export function countFiles(runner: Runner, root: string): FileCounts {
  const files: FileCounts = {}
  const add = (test: Test, what: keyof Counts): void => {
    const file = test.file ?? test.parent?.file
    if (file === undefined) return
    const counts = (files[relative(root, file)] ??= { passed: 0, failed: 0 })
    counts[what]++
  }
  runner.on('pass', (test) => add(test, 'passed'))
  runner.on('fail', (test) => add(test, 'failed'))
  return files
}

/** A change that breaks more files than this is at fault, so nothing runs again. */
export const secondTriesMost = 8

/**
 * The counts of a whole run after its second try. `again` runs files by themselves and resolves to their counts; it is
 * not called if nothing failed, if too much did, or if a lane was cut short, so that what failed is not known by file.
 */
export async function secondTry(
  first: Counts,
  files: FileCounts,
  show: (text: string) => void,
  again: (files: readonly string[]) => Promise<Counts>,
): Promise<Counts> {
  const broken = Object.entries(files).filter(([, { failed }]) => failed > 0)
  const known = { passed: sum(broken, 'passed'), failed: sum(broken, 'failed') }
  if (first.failed === 0 || first.failed !== known.failed || broken.length > secondTriesMost) return first
  const names = broken.map(([file]) => file)
  show(`\nThe second try, of ${names.join(', ')}:\n`)
  const second = await again(names)
  show(
    second.failed > 0
      ? 'What failed fails by itself, too.'
      : `${known.failed} failed at the first try and passed at the second: find what the test or svc depends on.`,
  )
  return { passed: first.passed - known.passed + second.passed, failed: second.failed }
}

const sum = (files: readonly [string, Counts][], what: keyof Counts): number =>
  files.reduce((total, [, counts]) => total + counts[what], 0)
