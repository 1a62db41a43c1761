/** The steps of a run, read from events of its history. */
import proto from '@temporalio/proto'
import { expect } from 'chai'
import { readSteps } from '../../temporal/client/run-steps.ts'

const { HistoryEvent } = proto.temporal.api.history.v1

const payload = (value: unknown) => ({ data: Buffer.from(JSON.stringify(value)) })
const eventTime = { seconds: 1_800_000_000, nanos: 0 }
const at = '2027-01-15T08:00:00.000Z'
const userMetadata = { summary: payload('Look at the copies') }

/** An activity within a workflow task, which is one event. */
const local = (result: unknown): object[] => [
  {
    eventTime,
    userMetadata,
    markerRecordedEventAttributes: {
      markerName: 'core_local_activity',
      details: { result: { payloads: [payload(result)] } },
    },
  },
]

/** An activity of its own, begun by one event and ended by another. */
const ordinary = (result: unknown): object[] => [
  { eventId: 5, eventTime, userMetadata, activityTaskScheduledEventAttributes: { activityId: '1' } },
  {
    eventId: 7,
    eventTime,
    activityTaskCompletedEventAttributes: { scheduledEventId: 5, result: { payloads: [payload(result)] } },
  },
]

const stepsOf = (events: readonly object[]) =>
  readSteps(
    events.map((event) => HistoryEvent.fromObject(event)),
    [],
  )

describe('the steps of a run', () => {
  const results: [result: unknown, shown: string | undefined][] = [
    [{ outcome: 'ended', message: '2 of 2 copies ready', plan: {} }, '2 of 2 copies ready'],
    [{ outcome: 'done', message: 'postgres 16 is ready' }, 'postgres 16 is ready'],
    [{ outcome: 'ended', failure: '', plan: {} }, undefined],
    [{ outcome: 'done', message: '' }, undefined],
    // The wait that follows says it.
    [{ outcome: 'waiting', message: '0 of 2 available' }, undefined],
    [{ outcome: 'failing', message: 'the object server does not answer' }, undefined],
    [{ message: { of: 'another form' } }, undefined],
    ['a text', undefined],
    [null, undefined],
  ]
  for (const [result, shown] of results) {
    for (const [name, events] of Object.entries({ local: local(result), ordinary: ordinary(result) })) {
      it(`of a ${name} activity with the result ${JSON.stringify(result)} say ${shown ?? 'no result'}`, () => {
        const step = { kind: 'did', at, endedAt: at, text: 'Look at the copies' }
        expect(stepsOf(events)).to.deep.equal([shown === undefined ? step : { ...step, result: shown }])
      })
    }
  }

  it('of an activity that failed say why, and no result', () => {
    const failed = [
      ...ordinary({}).slice(0, 1),
      {
        eventId: 7,
        eventTime,
        activityTaskFailedEventAttributes: { scheduledEventId: 5, failure: { message: 'the cluster is away' } },
      },
    ]
    expect(stepsOf(failed)).to.deep.equal([
      { kind: 'did', at, endedAt: at, text: 'Look at the copies', error: 'the cluster is away' },
    ])
  })
})
