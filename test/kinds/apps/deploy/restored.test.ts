/** What a service is after a restore of the platform: the image that ran, and not what its tag means by then. */
import { expect } from 'chai'
import { type App, appSpec } from '../../../../kinds/apps/kind.ts'
import { withFrozenAttempt } from '../../../../kinds/apps/deploy/restored.ts'
import { viewOf } from '../../../../kinds/apps/view.ts'
import { annotations } from '../../../../kinds/meta/annotations.ts'
import { apiVersion } from '../../../../kinds/meta/group.ts'

const digest = `sha256:${'a'.repeat(64)}`
const attempt = {
  record: 'web-abcde',
  operation: 'deploy',
  actor: 'ann',
  requestId: '1',
  title: 'x',
  at: '2026-01-01T00:00:00Z',
}

function service(source: object, frozenImage?: { attempt: string; image: string }): App {
  return {
    apiVersion,
    kind: 'SvcApp',
    metadata: { name: 'web', uid: 'u', annotations: { [annotations.attempt]: JSON.stringify(attempt) } },
    spec: appSpec.parse({ project: 'proj-0a1b2c3d', environment: 'production', source, deploy: { enabled: true } }),
    ...(frozenImage === undefined ? {} : { status: { frozenImage } }),
  }
}
const image = { image: { image: 'shop/web:1' } }
const git = { git: { repository: 'acme/web', branch: 'main' } }

describe('a service that a restore of the platform brings back', () => {
  it('runs the digest that its tag named when it was deployed', () => {
    const frozen = `shop/web:1@${digest}`
    const back = withFrozenAttempt(service(image, { attempt: attempt.record, image: frozen }))
    expect(viewOf(back).attempt).to.deep.equal({ ...attempt, image: frozen })
  })
  it('from git runs the image that was built, and builds nothing', () => {
    const frozen = `registry.example.com/web@${digest}`
    const back = withFrozenAttempt(service(git, { attempt: attempt.record, image: frozen }))
    expect(viewOf(back).attempt).to.deep.equal({ ...attempt, operation: 'rollback', image: frozen })
  })
  it('is as it was saved where no digest is known, or another attempt froze it', () => {
    for (const record of [
      service(image),
      service(image, { attempt: attempt.record, image: 'shop/web:1' }),
      service(git, { attempt: 'web-other', image: `registry.example.com/web@${digest}` }),
    ])
      expect(withFrozenAttempt(record)).to.equal(record)
  })
})
