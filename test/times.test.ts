/** The table of a run's durations. */
import { expect } from 'chai'
import { timesTable } from './times.ts'

describe('the table of times', () => {
  it('sums folders two levels deep, longest first, and names the slowest tenth of the files', () => {
    const quick = Object.fromEntries(
      Array.from({ length: 18 }, (_, index) => [`test/kinds/apps/rule-${index}.test.ts`, 100]),
    )
    const table = timesTable({
      ...quick,
      'test/workflows/deploy.test.ts': 5_000,
      'test/workflows/crash.test.ts': 3_200,
    })
    expect(table.split('\n').map((line) => line.trim())).to.deep.equal([
      'times of tests and hooks, 10 s in all, by folder:',
      '8 s  test/workflows',
      '2 s  test/kinds',
      'by file; the slowest tenth takes 82 %:',
      '5 s  test/workflows/deploy.test.ts',
      '3 s  test/workflows/crash.test.ts',
    ])
  })

  it('is made of a run without a test, too', () => expect(timesTable({})).to.include('0 s in all'))
})
