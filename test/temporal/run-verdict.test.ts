/** When a run counts as stuck, as a table. */
import { expect } from 'chai'
import proto from '@temporalio/proto'
import { isStuck, missesOf } from '../../temporal/runs/verdict.ts'

const { WorkflowTaskFailedCause: causes } = proto.temporal.api.enums.v1

type Event = Parameters<typeof missesOf>[0][number]

const failed = (cause = causes.WORKFLOW_TASK_FAILED_CAUSE_NON_DETERMINISTIC_ERROR): Event => ({
  workflowTaskFailedEventAttributes: { cause, failure: { message: 'another command was expected' } },
})
const silent: Event = { workflowTaskTimedOutEventAttributes: {} }
const completed: Event = { workflowTaskCompletedEventAttributes: {} }
const signalled: Event = { workflowExecutionSignaledEventAttributes: {} }
const harmless = failed(causes.WORKFLOW_TASK_FAILED_CAUSE_UNHANDLED_COMMAND)

const rows: [
  what: string,
  newestFirst: Event[],
  attempt: number,
  endedBefore: number,
  stuck: boolean,
  transition?: true,
][] = [
  ['has a workflow task on its way', [signalled, completed], 1, 0, false],
  ['failed once', [failed(), completed], 2, 0, false],
  ['failed twice', [failed(), completed], 3, 0, false],
  ['failed three times', [failed(), completed], 4, 0, true],
  [
    'failed three times with a signal between each, which counts its attempts anew',
    [failed(), signalled, failed(), signalled, failed(), completed],
    1,
    0,
    true,
  ],
  ['failed before it went on', [signalled, completed, failed(), failed(), failed()], 2, 0, false],
  ['was not answered five times, as workers were killed', [silent, completed], 6, 0, false],
  ['was not answered six times', [silent, completed], 7, 0, true],
  ['was not answered twice by the release that it moves to', [silent, completed], 3, 0, false, true],
  ['was not answered three times by the release that it moves to', [silent, completed], 4, 0, true, true],
  ['was not answered three times by its first release', [silent, signalled], 4, 0, false, true],
  ['failed at its very first task', [failed(), signalled], 4, 0, true],
  ['met signals while it was answered', [harmless, harmless, harmless, harmless, completed], 1, 0, false],
  ['fails again three times after it was ended once', [failed(), completed], 4, 1, false],
  ['fails again six times after it was ended once', [failed(), completed], 7, 1, true],
  ['fails again eleven times after it was ended often', [failed(), completed], 12, 9, false],
  ['fails again twelve times after it was ended often', [failed(), completed], 13, 9, true],
]

describe('a run', () => {
  for (const [what, newestFirst, attempt, endedBefore, stuck, transition = false] of rows)
    it(`that ${what} ${stuck ? 'is' : 'is not'} stuck`, () =>
      expect(isStuck(missesOf(newestFirst, attempt, transition), endedBefore)).to.equal(stuck))

  it('says why its last workflow task failed', () =>
    expect(missesOf([silent, failed(), completed], 2, false).failure).to.deep.equal({
      cause: 'NON_DETERMINISTIC_ERROR',
      message: 'another command was expected',
    }))
})
