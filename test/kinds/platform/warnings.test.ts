/** What the overview warns of, to whom. */
import { expect } from 'chai'
import { platformWarnings, type PlatformSeen } from '../../../kinds/platform/warnings.ts'

const unset = { configured: false, ready: false, reason: 'NoDomain', message: 'no root domain is set' }
const wrong = { configured: true, ready: false, reason: 'PendingDNS', message: 'svc.example.com does not resolve yet' }
const well: PlatformSeen = {
  highAvailability: { ready: true, message: 'The cluster can carry highly available workloads' },
  domain: { configured: true, ready: true, reason: 'Verified', message: 'it answers' },
  dnsProvider: unset,
  capacity: { cpuAllocatableMillis: 8000, cpuFreeMillis: 4000, memoryAllocatableBytes: 100, memoryFreeBytes: 50 },
}
const of = (change: Partial<PlatformSeen>, full = true) =>
  platformWarnings({ ...well, ...change }, full).map(({ about, message }) => `${about}: ${message}`)

describe('the warnings of the platform', () => {
  it('are none while all is well, nothing is set up, or nothing has looked yet', () => {
    expect(of({})).to.deep.equal([])
    expect(of({ domain: unset, highAvailability: undefined, capacity: null })).to.deep.equal([])
    expect(of({ domain: { ...wrong, reason: 'NotChecked' } })).to.deep.equal([])
  })

  it('say what is wrong with the domain and the provider to those who may fix it', () => {
    const change = { domain: wrong, dnsProvider: { ...wrong, message: 'the token is not valid' } }
    expect(of(change)).to.deep.equal(['domain: svc.example.com does not resolve yet', 'dns: the token is not valid'])
    expect(of(change, false)).to.deep.equal([
      'domain: the domain of the platform does not work',
      'dns: the DNS provider does not work',
    ])
  })

  it('say that the cluster is nearly full, and that it is not highly available', () => {
    const capacity = {
      ...{ cpuAllocatableMillis: 8000, cpuFreeMillis: 799 },
      ...{ memoryAllocatableBytes: 100, memoryFreeBytes: 10 },
    }
    const highAvailability = { ready: false, message: 'Not highly available: 1 of 3 ready nodes' }
    expect(of({ capacity, highAvailability })).to.deep.equal([
      'capacity: 9 % of the CPU of the cluster is free',
      'high-availability: Not highly available: 1 of 3 ready nodes',
    ])
    expect(of({ capacity: { ...capacity, cpuAllocatableMillis: 0, cpuFreeMillis: 0 } })).to.deep.equal([
      'capacity: no node is ready to take copies',
    ])
  })
})
