/** When the api process writes its log lines out. */
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { pino } from 'pino'
import { createLogOutput, lineTime } from '../../api/process/log-output.ts'
import { eventually } from '../cluster/eventually.ts'

describe('The log of the api', () => {
  let folder: string
  let written: () => string[]
  let log: pino.Logger

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-log-'))
    const file = join(folder, 'log')
    log = pino({ base: { process: 'api' }, timestamp: lineTime }, createLogOutput(openSync(file, 'w')))
    written = () => readFileSync(file, 'utf8').split('\n').slice(0, -1)
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('is flushed at once by an audit line, with the lines before it', () => {
    log.info('read')
    log.info({ audit: true }, 'audit')
    expect(written().map((line) => (JSON.parse(line) as { msg: string }).msg)).to.deep.equal(['read', 'audit'])
  })

  it('is flushed at once by a warning', () => {
    log.warn('trouble')
    expect(written()).to.have.length(1)
  })

  it('has the time of the line, though lines of one millisecond share a text', async () => {
    const before = Date.now()
    for (let line = 0; line < 50; line += 1) {
      log.info('read')
      if (line % 10 === 0) await sleep(2)
    }
    log.warn('out')
    const times = written().map((line) => (JSON.parse(line) as { time: string }).time)
    expect(times.map((time) => new Date(time).toISOString())).to.deep.equal(times)
    expect(times).to.deep.equal([...times].sort())
    expect(Date.parse(times[0] ?? '')).to.be.at.least(before)
    expect(Date.parse(times.at(-1) ?? '')).to.be.at.least(Date.parse(times[0] ?? '') + 8)
  })

  it('delays a line about a read for a moment only', async () => {
    log.info('read')
    expect(written()).to.deep.equal([])
    await eventually('the line is out', () => written().length === 1)
  })
})
