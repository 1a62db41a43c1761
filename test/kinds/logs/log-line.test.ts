/** Levels of log lines in the spellings that programs use. */
import { expect } from 'chai'
import { logLineMax } from '../../../contract/process-limits.ts'
import { levelOf, passes, shownLine, stampedLine, wordsOfLevel } from '../../../kinds/logs/log-line.ts'

describe('A log line', () => {
  const lines: [string, string][] = [
    ['{"level":"warning","msg":"x"}', 'warn'],
    ['{"level":30}', 'info'],
    ['{"severity":"ERROR"}', 'error'],
    ['{"broken', ''],
    ['{"level":"constructor"}', ''],
    ['{"level":"__proto__"}', ''],
    ['level=toString', ''],
    ['level=debug msg=x', 'debug'],
    ['2026-11-21 10:00:00 ERROR something', 'error'],
    ['[WARN] disk', 'warn'],
    ['panic: runtime error', 'error'],
    ['GET / 200', ''],
    ['the word of an error far behind all that is a level in a line of prose', ''],
    ['', ''],
  ]
  for (const [line, level] of lines)
    it(`${JSON.stringify(line)} is ${level || 'of no level'}`, () => expect(levelOf(line)).to.equal(level))

  it('has its time in front', () => {
    expect(stampedLine('2026-11-21T10:00:00.123456789Z hello  world')).to.deep.equal({
      t: '2026-11-21T10:00:00.123456789Z',
      line: 'hello  world',
    })
    expect(stampedLine('2026-11-21T10:00:00Z ')).to.deep.equal({ t: '2026-11-21T10:00:00.000000000Z', line: '' })
    expect(stampedLine('no time')).to.deep.equal({ t: '', line: 'no time' })
  })

  it('passes a search whatever the case, and a level in any spelling', () => {
    expect(passes('Hello World', { q: 'hello' })).to.equal(true)
    expect(passes('ERROR x', { level: 'err' })).to.equal(true)
    expect(passes('ERROR x', { level: 'info' })).to.equal(false)
    expect(passes('anything', {})).to.equal(true)
  })

  it('is cut when it is too long to be of use', () => {
    expect(shownLine('x'.repeat(logLineMax))).to.have.length(logLineMax)
    expect(shownLine('x'.repeat(logLineMax + 1))).to.equal(`${'x'.repeat(logLineMax)}…`)
  })

  it('has a level of several spellings', () => {
    expect(wordsOfLevel('Wrn')).to.deep.equal(['warn', 'warning', 'wrn'])
    expect(wordsOfLevel('loud')).to.deep.equal([])
    expect(wordsOfLevel('')).to.deep.equal([])
  })
})
