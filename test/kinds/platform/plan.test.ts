/** Whose domain a run of the platform checks. */
import { expect } from 'chai'
import { apiVersion } from '../../../kinds/meta/group.ts'
import { platformConfigSpec } from '../../../kinds/platform/kind.ts'
import { planOfPlatform } from '../../../kinds/platform/plan.ts'
import { withSetting } from '../../../kinds/platform/settings.ts'
import { withEditor } from '../../../kinds/provision/edited-by.ts'
import { savedSetting } from '../../../records/settings/saved-setting.ts'

describe('who asked for the domain that a run checks', () => {
  const metadata = { ...withEditor({ name: 'platform', generation: 1 }, 'ada'), generation: 2 }
  const checked = (observedGeneration: number) => ({
    conditions: [
      {
        type: 'DashboardDomainReady',
        status: 'True',
        reason: 'Verified',
        message: '',
        lastTransitionTime: '2026-01-01T00:00:00Z',
        observedGeneration,
      } as const,
    ],
  })
  const config = (generation: number, observed: number) => ({
    apiVersion,
    kind: 'SvcPlatformConfig',
    metadata: { ...metadata, generation },
    spec: platformConfigSpec.parse({ rootDomain: 'example.test' }),
    status: checked(observed),
  })
  for (const [what, generation, observed, actor] of [
    ['the one who saved it', 2, 1, 'ada'],
    ['no one, once it was checked', 2, 2, undefined],
    ['unknown after an edit by kubectl', 3, 2, undefined],
  ] as const)
    it(what, () => expect(planOfPlatform(config(generation, observed), false).actor).to.equal(actor))

  it('the one who saved or cleared a setting of it, also if another process completes the save', () => {
    const before = config(2, 2)
    const cloudflareConnectionRef = { name: 'platform-dns-provider' }
    for (const part of [{ cloudflareConnectionRef }, {}]) {
      const text = JSON.stringify({ turn: 1, part, actor: 'bob' })
      const saved = savedSetting('dns-provider', { metadata: { annotations: { 'svc.dev/setting': text } } })
      const from =
        'cloudflareConnectionRef' in part ? before : { ...before, spec: { ...before.spec, cloudflareConnectionRef } }
      const { metadata: now, ...rest } = withSetting(from, 'dns-provider', saved ?? expect.fail('unreadable'))
      expect(planOfPlatform({ ...rest, metadata: { ...now, generation: 3 } }, false).actor).to.equal('bob')
    }
  })
})
