/** The second try of a whole run: when it happens, and what it makes of the counts. */
import { expect } from 'chai'
import { secondTry, secondTriesMost, type Counts, type FileCounts } from './second-try.ts'

const first: Counts = { passed: 100, failed: 2 }
const files: FileCounts = {
  'test/a.test.ts': { passed: 10, failed: 1 },
  'test/b.test.ts': { passed: 20, failed: 1 },
  'test/c.test.ts': { passed: 70, failed: 0 },
}

async function tryAgain(counts: Counts, byFile: FileCounts, second: Counts) {
  const shown: string[] = []
  const asked: string[][] = []
  const result = await secondTry(
    counts,
    byFile,
    (text) => shown.push(text),
    (names) => {
      asked.push([...names])
      return Promise.resolve(second)
    },
  )
  return { result, asked, shown: shown.join('\n') }
}

describe('the second try of a whole run', () => {
  it('is of the files that failed alone, and its counts stand for them', async () => {
    const { result, asked, shown } = await tryAgain(first, files, { passed: 32, failed: 0 })
    expect(asked).to.deep.equal([['test/a.test.ts', 'test/b.test.ts']])
    expect(result).to.deep.equal({ passed: 102, failed: 0 })
    expect(shown).to.include('2 failed at the first try and passed at the second')
  })

  it('leaves failed what fails twice', async () => {
    const { result, shown } = await tryAgain(first, files, { passed: 31, failed: 1 })
    expect(result).to.deep.equal({ passed: 101, failed: 1 })
    expect(shown).to.include('fails by itself, too')
  })

  const broken = Object.fromEntries(
    Array.from({ length: secondTriesMost + 1 }, (_, index) => [`test/${index}.test.ts`, { passed: 1, failed: 1 }]),
  )
  const without: [string, Counts, FileCounts][] = [
    ['a run without a failure', { passed: 70, failed: 0 }, { 'test/c.test.ts': { passed: 70, failed: 0 } }],
    ['a run in which many files failed', { passed: 100, failed: secondTriesMost + 1 }, broken],
    ['a run that was cut short', { passed: 30, failed: 1 }, {}],
  ]
  for (const [what, counts, byFile] of without)
    it(`is not made of ${what}`, async () => {
      const { result, asked } = await tryAgain(counts, byFile, { passed: 1, failed: 0 })
      expect(asked).to.deep.equal([])
      expect(result).to.deep.equal(counts)
    })
})
