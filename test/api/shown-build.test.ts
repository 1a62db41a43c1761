/** Which build the status of a service shows: a caller that waits takes a failed one for the end of its deploy. */
import { expect } from 'chai'
import { viewOf } from '../../kinds/apps/view.ts'
import { type App, appSpec } from '../../kinds/apps/kind.ts'
import { shownBuild } from '../../api/apps/shown-build.ts'
import type { Build } from '../../kinds/builds/kind.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { digest } from '../../kinds/meta/digest.ts'
import { build } from '../kinds/builds/build-record.ts'

const git = { git: { repository: 'acme/web' } }

/** A service whose newest deploy is `record`, with the status that a worker wrote. */
function service(
  record: string,
  { operation = 'deploy', image, source = git, retry = '', status = {} }: Partial<Service> = {},
): App {
  const spec = appSpec.parse({
    ...{ project: 'proj-00000001', environment: 'production', deploy: { enabled: true } },
    source,
  })
  const attempt = { record, operation, actor: 'a', requestId: 'r', title: 't', at: '2026-01-01T00:00:00Z', image }
  const noted = {
    [annotations.attempt]: JSON.stringify(attempt),
    [annotations.lastDeployed]: JSON.stringify(spec),
    [annotations.retry]: retry,
  }
  const metadata = { name: 'web', namespace: 'svc-system', uid: 'u1', annotations: noted }
  return { apiVersion: 'svc.svc.dev/v1alpha1', kind: 'SvcApp', metadata, spec, status }
}

interface Service {
  operation: string
  image: string
  source: object
  retry: string
  status: NonNullable<App['status']>
}

/** The same once a worker has worked it off. */
const over = (app: App): App => ({ ...app, status: { ...app.status, observedIntent: viewOf(app).intent } })

const [one, two] = ['1', '2'].map((digit) => `sha256:${digit.repeat(64)}`)
const built = (name: string, imageDigest: string | undefined, second: number): Build =>
  build(name, undefined, { phase: 'Succeeded', image: `r/web:${name}`, ...(imageDigest && { imageDigest }) }, second)
const first = built('web-11111', one, 1)
const second = built('web-22222', two, 2)
const broken = build('web-33333', undefined, { phase: 'Failed', failureReason: 'exit code: 1' }, 3)
const builds = [first, second, broken]
const failed = { lastAttempt: { id: 'web-33333', phase: 'Failed' as const } }

describe('the build that a status shows', () => {
  const back = (image: string | undefined): App =>
    service('web-44444', { operation: 'rollback', ...(image && { image }), status: failed })
  const rows: [what: string, app: App, name: string | undefined, phase: string | undefined][] = [
    ['of a deploy whose build failed', over(service('web-33333', { status: failed })), 'web-33333', 'Failed'],
    ['of a deploy after that, not made yet', service('web-44444', { status: failed }), 'web-44444', undefined],
    [
      'of its retry, not made yet',
      service('web-33333', { retry: 't', status: failed }),
      `web-33333-${digest('t').slice(0, 5)}`,
      undefined,
    ],
    ['of a rollback after that', back(`r/web:web-11111@${one}`), 'web-11111', 'Succeeded'],
    ['of a rollback to an image whose build is gone', back(`r/web:old@sha256:0`), 'web-22222', 'Succeeded'],
    [
      'of a deploy of an image after that',
      service('web-44444', { source: { image: { image: 'a:1' } } }),
      undefined,
      undefined,
    ],
    ['of a deploy with an earlier image', over(service('web-22222')), 'web-22222', 'Succeeded'],
  ]
  for (const [what, app, name, phase] of rows)
    it(`${what}: ${name ?? 'none'}`, () => {
      const shown = shownBuild(app, builds)
      expect([shown?.metadata.name, shown?.status?.phase]).to.deep.equal([name, phase])
    })
  it('is none for a service that was never built', () =>
    expect(shownBuild(over(service('web-11111')), [])).to.equal(undefined))
})
