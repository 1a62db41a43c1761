/** Messages of a service for callers who may not read names of Secrets and variables. */
import { expect } from 'chai'
import { appSpec } from '../../../kinds/apps/kind.ts'
import { redactedAppStatus } from '../../../kinds/apps/redact.ts'
import { appSummary } from '../../../kinds/apps/summary.ts'
import { apiVersion } from '../../../kinds/meta/group.ts'
import { withoutNames } from '../../../kinds/meta/without-names.ts'

const kubelet =
  "the container cannot be started (CreateContainerConfigError): couldn't find key uri in Secret shop-production/orders-connection"
const cut = 'the container cannot be started (CreateContainerConfigError)'

const rows: [string, string][] = [
  [kubelet, cut],
  [`not ready in time: ${kubelet}, 2 restarts`, `not ready in time: ${cut}`],
  [
    "the secret variables cannot be read: the Secret hidden is not this service's",
    'the secret variables cannot be read',
  ],
  ["the shared variable HIDDEN names a Secret that is not this project's", 'the shared variable'],
  [
    'Secret web-secrets in namespace a-production belongs to another owner; rename it',
    'Secret in namespace a-production belongs to another owner; rename it',
  ],
  ['waiting for the key password of the Secret db', 'waiting for the Secret'],
  [
    'waiting for a Secret db-login with the label svc.dev/project=proj-0a1b2c3d',
    'waiting for a Secret with the label svc.dev/project=proj-0a1b2c3d',
  ],
  ['Secret account-credentials lacks accessKeyId and secretAccessKey', 'Secret lacks accessKeyId and secretAccessKey'],
  [
    'the build failed: the build asks for API_KEY, db.url, and the service has no plain or secret variable of that name',
    'the build failed: the build asks for variables, and the service has no plain or secret variable of that name',
  ],
  ['the build asks for API_KEY, DB_UR…', 'the build asks for variables'],
  [
    'the login of the repository, Secret git-login, is not there for this project',
    'the login of the repository, Secret, is not there for this project',
  ],
  ["a Secret that is not this project's", "a Secret that is not this project's"],
  ['copies starting', 'copies starting'],
]

describe('messages without names', () => {
  for (const [said, shown] of rows) {
    it(`${said} is shown as ${shown}`, () => {
      expect(withoutNames(said)).to.equal(shown)
      expect(withoutNames(shown), 'cleaned once more').to.equal(shown)
    })
  }

  it('are what a status and a summary show', () => {
    const condition = {
      type: 'Ready',
      status: 'False' as const,
      reason: 'ContainerConfig',
      message: kubelet,
      lastTransitionTime: '2026-01-01T00:00:00Z',
    }
    const status = {
      conditions: [condition],
      lastAttempt: { id: 'web-abcde', phase: 'Failed' as const, summary: kubelet, errors: [kubelet] },
      history: [{ id: 'web-aaaaa', startedAt: '', completedAt: '', summary: kubelet, image: 'shop/web:1' }],
    }
    const redacted = redactedAppStatus(status)
    expect(redacted).not.to.have.property('history')
    expect(redacted.conditions?.[0]?.message).to.equal(cut)
    expect([redacted.lastAttempt?.summary, redacted.lastAttempt?.errors]).to.deep.equal([cut, [cut]])
    const spec = appSpec.parse({
      project: 'proj-00000000',
      environment: 'production',
      source: { image: { image: 'x' } },
    })
    expect(
      JSON.stringify(appSummary({ apiVersion, kind: 'SvcApp', metadata: { name: 'web' }, spec, status }, false)),
    ).not.to.include('orders-connection')
  })
})
