/** Since when a record is in its state. */
import { expect } from 'chai'
import type { ResourceState } from '../../../contract/fields/words.ts'
import { sinceOf } from '../../../kinds/meta/since.ts'

const [began, ended, turned, deleted] = [10, 20, 30, 40].map((second) => `2026-01-02T00:00:${second}Z`)
const running = { startedAt: began }
const failed = { startedAt: began, completedAt: ended }

interface Row {
  readonly state: ResourceState
  readonly ready?: 'True' | 'False'
  readonly attempt?: { startedAt: string | undefined; completedAt?: string | undefined }
  readonly since: string | undefined
  readonly what: string
}

const rows: readonly Row[] = [
  { what: 'its deploy began', state: 'pending', ready: 'False', attempt: running, since: began },
  { what: 'its deploy failed', state: 'failed', ready: 'False', attempt: failed, since: ended },
  {
    what: 'Ready turned, where its last deploy is over',
    state: 'pending',
    ready: 'False',
    attempt: failed,
    since: turned,
  },
  { what: 'Ready turned, where nothing else is known', state: 'failed', ready: 'False', since: turned },
  {
    what: 'an unknown time, while Ready is of what was before',
    state: 'pending',
    ready: 'True',
    since: undefined,
  },
  { what: 'an unknown time, before it has conditions', state: 'pending', since: undefined },
  { what: 'its deletion', state: 'deleting', ready: 'False', attempt: failed, since: deleted },
  { what: 'no time, for a state that lasts', state: 'ready', ready: 'True', attempt: failed, since: undefined },
  { what: 'no time, as nothing was asked of it', state: 'draft', since: undefined },
]

describe('a record is in its state', () => {
  for (const { what, state, ready, attempt, since } of rows)
    it(`${state} since ${what}`, () => {
      const condition = { type: 'Ready', reason: 'Any', message: '', lastTransitionTime: turned ?? '' }
      const record = {
        ...{ apiVersion: 'svc.dev/v1', kind: 'SvcApp', spec: {} },
        metadata: { name: 'web', ...(state === 'deleting' && deleted !== undefined && { deletionTimestamp: deleted }) },
        status: { conditions: ready === undefined ? [] : [{ ...condition, status: ready }] },
      }
      expect(sinceOf(record, state, attempt)).to.equal(since)
    })
})
