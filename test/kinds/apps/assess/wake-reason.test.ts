/** For what a service at rest is woken, and that it is not woken twice for the same. */
import { expect } from 'chai'
import type { Health } from '../../../../kinds/apps/assess/health.ts'
import type { App } from '../../../../kinds/apps/kind.ts'
import { viewOf } from '../../../../kinds/apps/view.ts'
import { type Losses, wakeReasonOf } from '../../../../kinds/apps/assess/wake-reason.ts'
import { health, record, up } from './service.ts'

/** Of a service at rest. */
function wakeKey(reason: Health['reason'], change: Partial<Losses>, status: App['status'] = {}): string | undefined {
  const view = viewOf(record({ ...up.status, ...status, observedIntent: viewOf(up).intent }))
  const losses = { missing: [], hosts: [], history: false, turned: '', kept: false, overwritten: '', ...change }
  return wakeReasonOf(view, health(reason), { pods: 1, volume: false }, losses)?.key
}

describe('a wake for a history that was not written', () => {
  const keyAt = (status: 'True' | 'False'): string | undefined => {
    const condition = { type: 'Ready', status, reason: '', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' }
    return wakeKey('Ready', { history: true }, { conditions: [condition] })
  }

  it('comes once while the record says the same', () => {
    expect(keyAt('True')).to.be.a('string').and.equal(keyAt('True'))
  })

  it('comes once more where the look before found a copy away for a moment, and waits for it', () => {
    expect(keyAt('False')).to.be.a('string').and.not.equal(keyAt('True'))
  })
})

describe('a wake for what was written over', () => {
  /** Its objects are not what its last pass noted. */
  const keyAt = (reason: Health['reason'], overwritten = 'a1 b2 c3') => wakeKey(reason, { overwritten })

  it('comes once for the same objects and copies', () => {
    expect(keyAt('Progressing')).to.be.a('string').and.equal(keyAt('Progressing'))
  })

  it('comes once more when the copies are up: the look before may have begun to wait for them', () => {
    expect(keyAt('Ready')).to.be.a('string').and.not.equal(keyAt('Progressing'))
  })

  it('comes once more for other objects', () => {
    expect(keyAt('Ready', 'a1 b2 d4')).to.not.equal(keyAt('Ready'))
  })
})
