/** One page of records: several are checked at once, and a retry goes on where the former try died. */
import { setImmediate as breathe } from 'node:timers/promises'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { eachAtOnce, messageOf } from '../context/at-once.ts'
import { lastProgress, reportProgress } from './progress.ts'

/** Begin and size of a page. */
export interface PageInput {
  /** The name of the record that an earlier page ended with; '' for the first page. */
  after: string
  /** How many records make a page. */
  size: number
}

/** The result of a page, or of a part without pages. */
export interface PageReport {
  looked: number
  /** Runs woken, or leftovers removed. */
  acted: number
  failed: number
  /** The first failure in plain words; '' when there was none. */
  failure: string
  /** Where the next page begins; '' after the last. */
  after: string
}

/** Records between two heartbeats with the progress; the event loop runs other work in between. */
const chunk = 100

/**
 * `look` resolves with whether it did something. A record that it fails for is counted and skipped: the next resync
 * finds it again.
 */
export async function lookAtPage<T extends KubeObject>(
  records: readonly T[],
  { after, size }: PageInput,
  look: (record: T) => Promise<boolean>,
): Promise<PageReport> {
  const page = records
    .filter(({ metadata }) => metadata.name > after)
    .toSorted((one, other) => (one.metadata.name < other.metadata.name ? -1 : 1))
    .slice(0, size)
  const report = (lastProgress() as PageReport | undefined) ?? { looked: 0, acted: 0, failed: 0, failure: '', after }
  const left = page.filter(({ metadata }) => metadata.name > report.after)
  for (let first = 0; first < left.length; first += chunk) {
    const part = left.slice(first, first + chunk)
    await eachAtOnce(part, async (record) => {
      try {
        if (await look(record)) report.acted += 1
      } catch (error) {
        report.failed += 1
        report.failure ||= `${record.metadata.name}: ${messageOf(error)}`
      }
      report.looked += 1
    })
    report.after = part.at(-1)?.metadata.name ?? report.after
    reportProgress(report)
    await breathe()
  }
  return { ...report, after: page.length < size ? '' : report.after }
}
