/** References of images, and the image that a release was frozen with. */
import { expect } from 'chai'
import { digestIn, namesImage, parseImage, pinnedTo, withImage } from '../../../../kinds/apps/deploy/image.ts'
import { type App, type AppSpec, appSpec } from '../../../../kinds/apps/kind.ts'
import { viewOf } from '../../../../kinds/apps/view.ts'
import { annotations } from '../../../../kinds/meta/annotations.ts'

const digest = `sha256:${'0a'.repeat(32)}`

describe('Image references', () => {
  const references: [string, object | undefined][] = [
    ['nginx', { registry: 'docker.io', repository: 'library/nginx', tag: 'latest' }],
    ['nginx:1.29', { registry: 'docker.io', repository: 'library/nginx', tag: '1.29' }],
    ['svc/hello:1', { registry: 'docker.io', repository: 'svc/hello', tag: '1' }],
    ['docker.io/nginx', { registry: 'docker.io', repository: 'library/nginx', tag: 'latest' }],
    ['ghcr.io/acme/shop/web:2', { registry: 'ghcr.io', repository: 'acme/shop/web', tag: '2' }],
    ['localhost/web', { registry: 'localhost', repository: 'web', tag: 'latest' }],
    ['10.64.0.2:5000/team/web:1', { registry: '10.64.0.2:5000', repository: 'team/web', tag: '1' }],
    [`ghcr.io/acme/web@${digest}`, { registry: 'ghcr.io', repository: 'acme/web', tag: 'latest', digest }],
    [`ghcr.io/acme/web:2@${digest}`, { registry: 'ghcr.io', repository: 'acme/web', tag: '2', digest }],
    ['', undefined],
    ['Acme/Web', undefined],
    ['acme/../web', undefined],
    ['ghcr.io/', undefined],
  ]
  for (const [reference, wanted] of references) {
    it(`reads ${reference === '' ? 'an empty one' : reference}`, () =>
      expect(parseImage(reference)).to.deep.equal(wanted))
  }

  it('a digest pins a reference without changing what it is a reference of', () => {
    const pinned = pinnedTo('svc/hello:1', digest)
    expect(digestIn(pinned)).to.equal(digest)
    expect([
      namesImage('svc/hello:1', pinned),
      namesImage('svc/hello:1', 'svc/hello:1'),
      namesImage('svc/hello:2', pinned),
      namesImage('svc/hello', pinned),
    ]).to.deep.equal([true, true, false, false])
  })
})

describe('the image that the copies of a service run', () => {
  const image = { image: { image: 'svc/hello:1', pullSecret: 'login' } }
  const git = { git: { repository: 'acme/web' } }
  const code = { function: { code: 'export default () => 1' } }
  const pinned = pinnedTo('svc/hello:1', digest)
  const specOf = (source: object, enabled = true): AppSpec =>
    appSpec.parse({ project: 'proj-00000001', environment: 'production', source, deploy: { enabled } })
  const attempt = {
    record: 'web-aaaaa',
    operation: 'deploy',
    actor: 'a',
    requestId: 'r',
    title: 't',
    at: '2026-01-01T00:00:00Z',
  }
  const record = (spec: AppSpec, frozen?: { attempt: string; image: string }): App => ({
    apiVersion: 'svc.svc.dev/v1alpha1',
    kind: 'SvcApp',
    metadata: { name: 'web', annotations: { [annotations.attempt]: JSON.stringify(attempt) } },
    spec,
    status: { frozenImage: frozen },
  })
  const frozen = { attempt: 'web-aaaaa', image: pinned }
  const cases: [title: string, app: App, runs: string, source: object][] = [
    ['is that of the spec before one is frozen', record(specOf(image)), 'svc/hello:1', image],
    ['is the frozen one', record(specOf(image), frozen), pinned, { image: { ...image.image, image: pinned } }],
    ['is no frozen one of another attempt', record(specOf(image), { ...frozen, attempt: 'b' }), 'svc/hello:1', image],
    [
      'is no frozen one of another reference',
      record(specOf(image), { ...frozen, image: pinnedTo('svc/hello:2', digest) }),
      'svc/hello:1',
      image,
    ],
    ['of git is what was built', record(specOf(git), frozen), pinned, { image: { image: pinned } }],
    ['of git is none before that', record(specOf(git)), '', specOf(git).source],
    ['of a function is that of its runner', record(specOf(code), frozen), pinned, specOf(code).source],
    ['of a draft is none', record(specOf(image, false), frozen), '', image],
  ]
  for (const [title, app, runs, source] of cases)
    it(title, () => {
      const view = viewOf(app)
      expect(view.image).to.equal(runs)
      expect(withImage(app.spec, view.image).source).to.deep.equal(source)
    })
})
