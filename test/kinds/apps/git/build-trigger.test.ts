/** What a build says that it was asked for by. */
import { expect } from 'chai'
import { buildTriggerOf } from '../../../../kinds/apps/git/build-trigger.ts'

describe('what asks for a build', () => {
  const attempt = (actor: string, requestId = 'asked', operation: 'deploy' | 'build' | 'kubectl' = 'deploy') => ({
    ...{ actor, requestId, operation },
  })
  const rows: [what: string, asked: Parameters<typeof buildTriggerOf>[0], retry: string, trigger: string][] = [
    ['a deploy of a person', attempt('maria'), '', 'manual'],
    ['another build of a person', attempt('maria', 'asked', 'build'), '', 'manual'],
    ['an edit with kubectl', attempt('kubectl', '', 'kubectl'), '', 'kubectl'],
    ['a push', attempt('git host', '72d3162e-cc78-11e3-81ab-4c9367dc0958'), '', 'push'],
    ['a push of another git server', attempt('git webhook'), '', 'push'],
    ['a commit of a pull request', attempt('git host', 'pr-7-4b825dc'), '', 'pull request'],
    ['a person whose request has such an ID', attempt('maria', 'pr-7-4b825dc'), '', 'manual'],
    ['another try of a failed deploy', attempt('git host'), 'token', 'retry'],
  ]
  for (const [what, asked, retry, trigger] of rows)
    it(`${what}: ${trigger}`, () => expect(buildTriggerOf(asked, retry)).to.equal(trigger))
})
