/** The log of a deploy that succeeded, from the status of its service and the log object that may be there as well. */
import { expect } from 'chai'
import { deploymentRecordsKept } from '../../../contract/limits.ts'
import { type App, appSpec, type AppStatus, type Success } from '../../../kinds/apps/kind.ts'
import { successesIn } from '../../../kinds/apps/view.ts'
import { endIn } from '../../../records/store/attempt-history.ts'
import { stepsOf, successOf } from '../../../records/store/success-steps.ts'

const second = (count: number): string => `2026-11-28T10:00:${String(count).padStart(2, '0')}.000Z`
const digest = `sha256:${'0a'.repeat(32)}`
const record = 'web-7f3ka'
const accepted = { record, title: 'First deploy', at: second(0), as: 'deploy by ann' }
const success: Success = {
  id: record,
  startedAt: second(1),
  completedAt: second(9),
  summary: '1 of 1 copies ready',
}
const last: AppStatus['lastAttempt'] = { ...success, phase: 'Succeeded', errors: [] }
const frozenImage = { attempt: record, image: `svc/hello:1@${digest}` }

const appWith = (status: AppStatus): App => ({
  apiVersion: 'svc.svc.dev/v1alpha1',
  kind: 'SvcApp',
  metadata: { name: 'web', uid: 'u1' },
  spec: appSpec.parse({ project: 'proj-1a2b3c4d', environment: 'production', source: {} }),
  status,
})

// As the releases wrote them that made a log object of every deploy.
const first = `${second(0)} accepted: First deploy (deploy by ann)`
const applying = `${second(1)} applying release ${record}`
const pinned = `${second(1)} image svc/hello:1 is ${digest}`
const ended = `${second(9)} Succeeded: 1 of 1 copies ready`
const waited = `${second(5)} 0 of 1 copies ready`
const crashed = `${second(6)} Failed: it keeps exiting`

const rows: [title: string, status: AppStatus, logged: string[], lines: string[]][] = [
  ['of a plain success', { history: [success] }, [], [first, applying, ended]],
  ['of the newest, which is in `lastAttempt` alone', { lastAttempt: last }, [], [first, applying, ended]],
  ['of the newest with its frozen image', { lastAttempt: last, frozenImage }, [], [first, applying, pinned, ended]],
  [
    'of an earlier one with its image, whatever is frozen now',
    {
      history: [{ ...success, image: frozenImage.image }],
      frozenImage: { attempt: 'web-aaaaa', image: 'svc/hello:2' },
    },
    [],
    [first, applying, pinned, ended],
  ],
  [
    'of a tag whose digest is not known',
    { history: [{ ...success, image: 'svc/hello:1', note: 'no answer' }] },
    [],
    [first, applying, `${second(1)} image svc/hello:1 is taken by its tag: no answer`, ended],
  ],
  ['with what it waited for', { history: [success] }, [waited], [first, applying, waited, ended]],
  [
    'that an earlier release wrote whole',
    { history: [{ ...success, image: frozenImage.image }] },
    [first, applying, pinned, waited, ended],
    [first, applying, pinned, waited, ended],
  ],
  [
    'that an earlier release began otherwise',
    { history: [success] },
    [`${second(0)} accepted: First deploy (deploy)`, applying, ended],
    [`${second(0)} accepted: First deploy (deploy)`, applying, ended],
  ],
  [
    'with the failure before a retry',
    { history: [{ ...success, startedAt: second(7) }] },
    [first, applying, crashed],
    [first, applying, crashed, `${second(7)} applying release ${record}`, ended],
  ],
  [
    'that has an end of the same run: its worker died before it wrote the failure to the status',
    { history: [success] },
    [first, applying, crashed],
    [first, applying, crashed],
  ],
  [
    'of one that failed',
    { history: [{ ...success, id: 'web-aaaaa' }], lastAttempt: { id: record, phase: 'Failed' } },
    [crashed],
    [first, crashed],
  ],
  ['of one that runs', { lastAttempt: { id: record, phase: 'Running' } }, [waited], [first, waited]],
  ['of a service whose status was lost', {}, [], [first]],
]

describe('the log of a success', () => {
  for (const [title, status, logged, lines] of rows)
    it(`${title} reads as before`, () =>
      expect(stepsOf(appWith(status), record, accepted, logged)).to.deep.equal(lines))

  it('has what is known where the record does not say how it was accepted', () =>
    expect(stepsOf(appWith({ history: [success] }), record, undefined, [])).to.deep.equal([applying, ended]))

  it('has a summary of several lines in one', () => {
    const lines = stepsOf(appWith({ history: [{ ...success, summary: 'one\ntwo' }] }), record, accepted, [])
    expect(endIn(lines)).to.deep.equal({ phase: 'Succeeded', summary: 'one two' })
  })
})

describe('the successes in a status', () => {
  it('are the same array where nothing is added', () => {
    const history = [success]
    expect(successesIn({ history, lastAttempt: last })).to.equal(history)
    expect(successesIn({ history, lastAttempt: { id: 'web-aaaaa', phase: 'Failed' } })).to.equal(history)
  })

  it('have the image of their own attempt alone', () => {
    const other = { attempt: 'web-aaaaa', image: 'svc/hello:2' }
    expect(successOf(appWith({ lastAttempt: last, frozenImage }), record)?.image).to.equal(frozenImage.image)
    expect(successOf(appWith({ lastAttempt: last, frozenImage: other }), record)?.image).to.equal(undefined)
  })

  it('have the last run of an attempt that was run again', () => {
    const again = { ...last, startedAt: second(20), completedAt: second(30) }
    expect(successesIn({ history: [success], lastAttempt: again }).map(({ completedAt }) => completedAt)).to.deep.equal(
      [second(30)],
    )
  })

  it('are at most as many as the deployment records that are kept', () => {
    const history = Array.from({ length: deploymentRecordsKept }, (_, place) => ({ ...success, id: `web-${place}` }))
    const found = successesIn({ history, lastAttempt: last })
    expect(found.map(({ id }) => id)).to.deep.equal([...history.slice(1).map(({ id }) => id), record])
  })
})
