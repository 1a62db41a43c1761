/** What is reckoned with times, in processes whose machine is in another zone than UTC. */
import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'

const root = join(import.meta.dirname, '../..')
const files = [
  'test/kinds/apps/functions/calendar.test.ts',
  'test/kinds/apps/functions/schedules.test.ts',
  'test/kinds/backup-archives/schedule.test.ts',
  'test/kinds/logs/log-time.test.ts',
]

/** With the minutes that each zone is behind UTC on 1 January 1970: the first has daylight saving, as `Date` knows. */
const zones = [
  ['America/New_York', 300],
  ['Asia/Kathmandu', -330],
] as const

describe('the tests of schedules and times', function () {
  this.timeout(60_000)

  for (const [zone, behind] of zones)
    it(`pass on a machine in ${zone}`, async () => {
      const env = { ...process.env, TZ: zone }
      const offset = execFileSync(process.execPath, ['-p', 'new Date(0).getTimezoneOffset()'], { env })
      expect(Number(offset.toString()), 'the child is in that zone').to.equal(behind)
      const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'test/run.ts'), ...files], { env })
      expect(stdout).to.match(/\n[1-9]\d+ passed, 0 failed\n$/)
    })
})
