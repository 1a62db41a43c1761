/** The level of the log, before pino gets it. */
import { expect } from 'chai'
import { pino } from 'pino'
import { apiSettings } from '../../../api/process/process-settings.ts'
import { logLevel } from '../../../outside/process/log-level.ts'

describe('SVC_LOG_LEVEL', () => {
  it('is info unless it says otherwise, and what it may be is what pino knows', () => {
    expect([logLevel({}), logLevel({ SVC_LOG_LEVEL: '' })]).to.deep.equal(['info', 'info'])
    for (const level of [...Object.values(pino.levels.labels), 'silent'])
      expect(pino({ level: logLevel({ SVC_LOG_LEVEL: level }) }).level).to.equal(level)
  })

  it('is refused by its name where it is no level', () => {
    expect(() => apiSettings({ SVC_LOG_LEVEL: 'verbose' })).to.throw(
      'SVC_LOG_LEVEL must be one of trace, debug, info, warn, error, fatal, silent, and is "verbose"',
    )
  })
})
