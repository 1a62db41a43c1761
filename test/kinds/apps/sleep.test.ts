/** The missing requirements of sleep-when-idle, reported all at once. */
import { expect } from 'chai'
import { sleepOf } from '../../../kinds/apps/sleep.ts'

const autoscaling = { minReplicas: 1, maxReplicas: 3, targetCPUUtilization: 50 }

describe('sleep-when-idle', () => {
  const table: [string, Parameters<typeof sleepOf>, object][] = [
    ['works', [{}, 'shop.example.com', true], { active: true }],
    [
      'needs the add-on',
      [{}, 'shop.example.com', false],
      { active: false, message: 'sleep-when-idle is saved but not active: the serverless add-on is not installed' },
    ],
    [
      'needs a host',
      [{}, '', true],
      { active: false, message: 'sleep-when-idle is saved but not active: the service has no public host' },
    ],
    [
      'tells everything',
      [{ autoscaling }, '', false],
      {
        active: false,
        message:
          'sleep-when-idle is saved but not active: the serverless add-on is not installed, the service has no public host, CPU autoscaling is on',
      },
    ],
  ]
  for (const [title, asked, wanted] of table) it(title, () => expect(sleepOf(...asked)).to.deep.equal(wanted))
})
