/** References of images, and the image that a release was frozen with. */
import { expect } from 'chai'
import { digestIn, namesImage, parseImage, pinnedTo } from '../../../kinds/apps/image.ts'

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
