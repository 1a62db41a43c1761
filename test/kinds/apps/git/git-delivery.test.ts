/** What a plain webhook of Gitea, Forgejo or GitLab says of a push, and whether that deploys a service. */
import { expect } from 'chai'
import { isOfBranch } from '../../../../activities/githost/is-deployed-by.ts'
import { readGitPush } from '../../../../kinds/apps/git/git-delivery.ts'
import { type App, appSpec } from '../../../../kinds/apps/kind.ts'
import { apiVersion } from '../../../../kinds/meta/group.ts'
import { type GitServer, pushBody, pushedCommit } from '../../../harness/git-deliveries.ts'

const zeros = '0'.repeat(40)

describe('a push by a plain webhook', () => {
  const documented: [GitServer, string[]][] = [
    ['gitea', ['web/fr.ts', 'web/index.ts']],
    ['gitlab', ['README.md', 'web/fr.ts', 'web/index.ts', 'web/old.ts']],
  ]
  for (const [server, changed] of documented)
    it(`of ${server} is of a branch, with the files that its commits changed`, () => {
      expect(readGitPush(pushBody(server))).to.deep.equal({
        branch: 'main',
        isDefaultBranch: true,
        commit: pushedCommit,
        changed,
      })
    })

  for (const server of ['gitea', 'gitlab'] as const) {
    it(`of ${server} to another branch is not of the default one`, () => {
      expect(readGitPush(pushBody(server, { ref: 'refs/heads/feature/a' }))).to.deep.include({
        branch: 'feature/a',
        isDefaultBranch: false,
      })
    })

    const nothing: [string, unknown][] = [
      ['a tag', pushBody(server, { ref: 'refs/tags/v1' })],
      ['a deleted branch', pushBody(server, { after: zeros, checkout_sha: null, commits: [] })],
      ['a commit that is none', pushBody(server, { after: '--upload-pack=x' })],
      ['something else', { object_kind: 'issue' }],
      ['no object', 'push'],
    ]
    for (const [what, body] of nothing)
      it(`of ${server} of ${what} is none`, () => {
        expect(readGitPush(body)).to.equal(undefined)
      })

    const [commit] = (pushBody(server) as { commits: object[] }).commits
    const total = (count: number | undefined) =>
      server === 'gitea' ? { total_commits: count } : { total_commits_count: count }
    const many = Array.from({ length: 1001 }, (_, number) => `file-${number}`)
    const incomplete: [string, object][] = [
      ['made the branch', { before: zeros }],
      ['names no commits, as one that takes commits back', { commits: [], ...total(0) }],
      ['lists only its newest commits', { commits: [commit], ...total(21) }],
      ['does not count its commits', total(undefined)],
      ['leaves out the files', { commits: [{ id: pushedCommit }], ...total(1) }],
      ['says null for files', { commits: [{ ...commit, added: null }], ...total(1) }],
      ['changed too many files', { commits: [{ ...commit, added: many }], ...total(1) }],
    ]
    for (const [what, more] of incomplete)
      it(`of ${server} that ${what} says nothing of files`, () => {
        const push = readGitPush(pushBody(server, more))
        expect(push).to.have.property('branch', 'main')
        expect(push).not.to.have.property('changed')
      })
  }

  const service = (git: object, more: object = {}): App => ({
    apiVersion,
    kind: 'SvcApp',
    metadata: { name: 'web', namespace: 'svc-system', ...more },
    spec: appSpec.parse({
      project: 'proj-00000001',
      environment: 'production',
      source: { git: { repository: 'https://git.example.test/team/web.git', ...git } },
      deploy: { enabled: true },
    }),
  })
  const push = { branch: 'main', isDefaultBranch: true, commit: pushedCommit, changed: ['web/index.ts'] }
  const table: [string, App, object, boolean][] = [
    ['the default branch of its repository', service({}), {}, true],
    ['its own branch', service({ branch: 'main' }), { isDefaultBranch: false }, true],
    ['another branch', service({ branch: 'release' }), {}, false],
    ['a branch that is not the default one', service({}), { branch: 'x', isDefaultBranch: false }, false],
    ['a file that it watches', service({ watchPatterns: ['web/**'] }), {}, true],
    ['no file that it watches', service({ watchPatterns: ['api/**'] }), {}, false],
    ['files that are not known', service({ watchPatterns: ['api/**'] }), { changed: undefined }, true],
    ['a branch whose service is kept at a commit', service({ commit: pushedCommit }), {}, false],
    ['a service that is being deleted', service({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }), {}, false],
  ]
  for (const [what, app, more, expected] of table)
    it(`to ${what} ${expected ? 'deploys it' : 'does not'}`, () => {
      expect(isOfBranch(app, { ...push, ...more })).to.equal(expected)
    })

  it('is judged at once, whatever pattern the service has', () => {
    const app = service({ watchPatterns: [`${'*a'.repeat(6)}*b`, '{1..30000}'] })
    const startedAt = performance.now()
    expect(isOfBranch(app, { ...push, changed: ['a'.repeat(60)] })).to.equal(false)
    expect(performance.now() - startedAt).to.be.below(1000)
  })
})
