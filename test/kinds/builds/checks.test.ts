/** What the checks of a commit say together, and which deliveries of the git host are about one. */
import { expect } from 'chai'
import { type Check, checkedCommit, isChecked, verdictOf } from '../../../kinds/builds/checks.ts'
import { buildSpec } from '../../../kinds/builds/kind.ts'

const commit = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
const limits = { lookMs: 30_000, newsMs: 5_000, moreChecksMs: 20_000, missingMs: 300_000, endMs: 7_200_000 }
const check = (name: string, state: string): Check => ({ name, state })

describe('the checks of a commit', () => {
  const lint = check('lint', 'success')
  const many = Array.from({ length: 8 }, (_, number) => check(`job-${number}`, 'queued'))
  const table: [what: string, checks: Check[], waitedMs: number, state: string, why: string][] = [
    ['are waited for', [], 299_999, 'pending', 'waiting for the git host to report checks of commit 4b825dc'],
    ['are missed', [], 300_000, 'missing', 'no check of commit 4b825dc was reported within 5 minutes'],
    [
      'go on',
      [lint, check('unit', 'in_progress')],
      60_000,
      'pending',
      'waiting for the checks of commit 4b825dc: unit',
    ],
    [
      'are many',
      many,
      60_000,
      'pending',
      'waiting for the checks of commit 4b825dc: job-0, job-1, job-2, job-3, job-4 and 3 more',
    ],
    [
      'never end',
      [check('unit', 'pending')],
      7_200_000,
      'timed_out',
      'the checks of commit 4b825dc did not end within 120 minutes: unit',
    ],
    ['may be followed by others', [lint], 19_999, 'pending', 'waiting whether there are more checks of commit 4b825dc'],
    ['have passed', [lint], 20_000, 'success', 'the checks of commit 4b825dc have passed'],
    [
      'have passed where some are left out',
      [lint, check('docs', 'skipped'), check('advice', 'neutral')],
      20_000,
      'success',
      'the checks of commit 4b825dc have passed',
    ],
    [
      'fail as soon as one does',
      [check('unit', 'in_progress'), check('lint', 'failure'), check('e2e', 'timed_out')],
      1,
      'failure',
      'the checks of commit 4b825dc failed: lint, e2e',
    ],
    ['fail by an unknown word', [check('x', 'new')], 1, 'failure', 'the checks of commit 4b825dc failed: x'],
    [
      'are cancelled',
      [lint, check('unit', 'cancelled')],
      1,
      'cancelled',
      'the checks of commit 4b825dc were cancelled: unit',
    ],
    [
      'fail rather than that they are cancelled',
      [check('lint', 'error'), check('unit', 'cancelled')],
      1,
      'failure',
      'the checks of commit 4b825dc failed: lint',
    ],
  ]
  for (const [what, checks, waitedMs, state, why] of table)
    it(what, () => {
      expect(verdictOf(checks, commit, waitedMs, limits)).to.deep.equal({ state, why })
    })

  it('hold a build back that waits for them, until they have passed', () => {
    const place = { app: 'web', project: 'proj-00000001', environment: 'production', repository: 'acme/web' }
    const spec = buildSpec.parse({ ...place, waitForCI: true })
    expect(isChecked({ spec: buildSpec.parse(place) })).to.equal(true)
    expect(isChecked({ spec })).to.equal(false)
    expect(isChecked({ spec, status: { ciState: 'pending' } })).to.equal(false)
    expect(isChecked({ spec, status: { ciState: 'success' } })).to.equal(true)
  })
})

describe('a delivery of the git host', () => {
  const deliveries: [event: string, body: unknown, commit: string | undefined][] = [
    ['check_run', { action: 'completed', check_run: { head_sha: commit } }, commit],
    ['check_suite', { action: 'requested', check_suite: { head_sha: commit } }, commit],
    ['status', { sha: commit, context: 'ci/build', state: 'success' }, commit],
    ['status', { sha: commit, context: 'svc/web', state: 'pending' }, undefined],
    ['check_run', { check_run: { head_sha: '--help' } }, undefined],
    ['check_run', { check_run: null }, undefined],
    ['check_run', null, undefined],
    ['status', 'text', undefined],
    ['ping', { sha: commit }, undefined],
  ]
  for (const [event, body, expected] of deliveries)
    it(`${event} ${JSON.stringify(body).slice(0, 60)} is about ${expected === undefined ? 'no commit' : 'a commit'}`, () => {
      expect(checkedCommit(event, body)).to.equal(expected)
    })
})
