/** What the histories of a deploy show in Temporal's pages: each step by name, with what it came to. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'

interface Payload {
  data: string
}
interface Recorded {
  eventType: string
  userMetadata?: { summary?: Payload }
  markerRecordedEventAttributes?: { details?: { result?: { payloads?: Payload[] } } }
  activityTaskScheduledEventAttributes?: { activityId?: string }
  activityTaskCompletedEventAttributes?: { result?: { payloads?: Payload[] } }
}

const decoded = (payload: Payload | undefined): unknown =>
  payload === undefined ? undefined : JSON.parse(Buffer.from(payload.data, 'base64').toString())

/** The steps by their summaries, and what each came to. */
function steps(file: string): [unknown, unknown][] {
  // Written by historyToJSON.
  const { events } = JSON.parse(readFileSync(join(import.meta.dirname, file), 'utf8')) as { events: Recorded[] }
  const cameTo = (result: unknown): unknown => {
    const { outcome, prepared } = (result ?? {}) as { outcome?: string; prepared?: { outcome?: string } }
    return prepared?.outcome ?? outcome
  }
  const found: [unknown, unknown][] = []
  for (const { userMetadata, ...event } of events) {
    const marker = event.markerRecordedEventAttributes?.details?.result?.payloads?.[0]
    const completed = event.activityTaskCompletedEventAttributes?.result?.payloads?.[0]
    if (event.activityTaskScheduledEventAttributes !== undefined || marker !== undefined)
      found.push([decoded(userMetadata?.summary), cameTo(decoded(marker))])
    const last = found.at(-1)
    if (completed !== undefined && last !== undefined) last[1] = cameTo(decoded(completed))
  }
  return found
}

const look = 'Look at the copies and write how they are'

describe('the history of a deploy', () => {
  it('names its steps within workflow tasks as it named them when each was an activity', () => {
    expect(steps('histories/deploy-ready.json')).to.deep.equal([
      ['Read what the record asks for, and apply its release', 'applied'],
      [look, 'ended'],
    ])
    expect(steps('former/deploy-ready-by-activities.json')).to.deep.equal([
      [undefined, undefined],
      ['Take the attempt up and apply its release', 'applied'],
      ['Look at the copies and tell how they are', 'ended'],
    ])
  })

  it('shows each look at copies that fail', () => {
    const looks = steps('histories/deploy-failed.json').filter(([summary]) => summary === look)
    expect(looks.length).to.be.greaterThan(1)
    expect(looks.map(([, outcome]) => outcome)).to.deep.equal([...looks.slice(1).map(() => 'waiting'), 'ended'])
  })
})
