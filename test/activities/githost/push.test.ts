/** Which services a push deploys. */
import { expect } from 'chai'
import { type App, appSpec } from '../../../kinds/apps/kind.ts'
import { isDeployedBy } from '../../../activities/githost/is-deployed-by.ts'
import { type Push, readPush } from '../../../kinds/apps/git/push.ts'
import { apiVersion } from '../../../kinds/meta/group.ts'

const commit = 'a'.repeat(40)
const body = (more: object = {}): object => ({
  ref: 'refs/heads/main',
  after: commit,
  deleted: false,
  forced: false,
  repository: { full_name: 'Acme/Shop', default_branch: 'main' },
  installation: { id: 71 },
  commits: [
    { added: ['web/new.ts'], modified: ['README.md'], removed: [] },
    { added: [], modified: ['web/new.ts'], removed: ['old.ts'] },
  ],
  ...more,
})

describe('a push', () => {
  it('is of a branch, with the files that its commits changed', () => {
    expect(readPush(body())).to.deep.equal({
      repository: 'Acme/Shop',
      branch: 'main',
      isDefaultBranch: true,
      commit,
      installation: 71,
      changed: ['web/new.ts', 'README.md', 'old.ts'],
    })
    expect(readPush(body({ ref: 'refs/heads/feature/a' }))).to.deep.include({
      branch: 'feature/a',
      isDefaultBranch: false,
    })
  })

  const many = (count: number) => Array.from({ length: count }, (_, number) => `file-${number}`)
  const incomplete: [string, object][] = [
    ['was forced', { forced: true }],
    ['names no commits', { commits: [] }],
    ['has more commits than the git host lists', { commits: Array.from({ length: 2048 }, () => ({})) }],
    ['changed too many files', { commits: [{ added: many(1001), modified: [], removed: [] }] }],
  ]
  for (const [what, more] of incomplete)
    it(`that ${what} says nothing of files`, () => {
      expect(readPush(body(more))).to.have.property('branch', 'main')
      expect(readPush(body(more))).not.to.have.property('changed')
    })

  const none: [string, unknown][] = [
    ['a tag', body({ ref: 'refs/tags/v1' })],
    ['a deleted branch', body({ deleted: true, after: '0'.repeat(40) })],
    ['one of no installation', body({ installation: undefined })],
    ['a commit that is none', body({ after: '--upload-pack=x' })],
    ['something else', { zen: 'keep it simple' }],
    ['no object', 'push'],
  ]
  for (const [what, said] of none)
    it(`of ${what} is none`, () => {
      expect(readPush(said)).to.equal(undefined)
    })

  const service = (git: object, more: object = {}): App => ({
    apiVersion,
    kind: 'SvcApp',
    metadata: { name: 'web', namespace: 'svc-system', ...more },
    spec: appSpec.parse({
      project: 'proj-00000001',
      environment: 'production',
      source: { git: { repository: 'acme/shop', ...git } },
      deploy: { enabled: true },
    }),
  })
  const push = readPush(body()) as Push // it is one, as the first test shows
  const web = 'https://github.com'
  const table: [string, App, Partial<Push>, boolean][] = [
    ['the default branch of its repository', service({}), {}, true],
    ['its own branch', service({ branch: 'main' }), { isDefaultBranch: false }, true],
    ['another branch', service({ branch: 'release' }), {}, false],
    ['a branch that is not the default one', service({}), { branch: 'x', isDefaultBranch: false }, false],
    ['another repository', service({ repository: 'acme/other' }), {}, false],
    ['its repository by https', service({ repository: 'https://github.com/Acme/shop.git' }), {}, true],
    ['its repository by ssh', service({ repository: 'git@github.com:acme/shop.git' }), {}, true],
    ['the same name elsewhere', service({ repository: 'https://gitlab.com/acme/shop' }), {}, false],
    ['a file that it watches', service({ watchPatterns: ['web/**'] }), {}, true],
    ['no file that it watches', service({ watchPatterns: ['api/**', '*.go'] }), {}, false],
    ['files that are not known', service({ watchPatterns: ['api/**'] }), { changed: undefined }, true],
    ['a branch whose service is kept at a commit', service({ commit }), {}, false],
    ['a service that is being deleted', service({}, { deletionTimestamp: '2026-01-01T00:00:00Z' }), {}, false],
  ]
  for (const [what, app, more, expected] of table)
    it(`to ${what} ${expected ? 'deploys it' : 'does not'}`, () => {
      expect(isDeployedBy(app, { ...push, ...more }, web)).to.equal(expected)
    })

  it('never deploys a draft, nor a service of an image', () => {
    const draft = service({})
    draft.spec.deploy.enabled = false
    expect(isDeployedBy(draft, push, web)).to.equal(false)
    const image = { ...service({}), spec: { ...service({}).spec, source: { image: { image: 'a' } } } }
    expect(isDeployedBy(image, push, web)).to.equal(false)
  })
})
