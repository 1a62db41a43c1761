/** When the cluster counts as ready for highly available workloads, and what is reported as missing. */
import { expect } from 'chai'
import { type ClusterShown, readinessOf } from '../../../kinds/ha-readiness/readiness.ts'

const node = (status: string) => ({ status: { conditions: [{ type: 'Ready', status }] } })
const condition = (status: 'True' | 'False') => ({
  type: 'Ready',
  status,
  reason: 'Any',
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
})
const able: ClusterShown = {
  nodes: [node('True'), node('True'), node('True')],
  storageClasses: 1,
  cluster: [condition('True')],
  addons: { CloudNativePG: true, 'the ingress class traefik': true },
}

describe('the readiness for high availability', () => {
  it('holds with three ready nodes, storage, a ready cluster and its add-ons', () => {
    expect(readinessOf(able)).to.deep.equal({
      facts: { ready: true, healthyNodes: 3, storageClassReady: true, clusterReady: true, addonsReady: true },
      verdict: { ready: true, reason: 'Ready', message: 'The cluster can carry highly available workloads' },
    })
  })

  const table: [string, Partial<ClusterShown>, string, object][] = [
    [
      'a node is not ready',
      { nodes: [node('True'), node('True'), node('Unknown'), {}] },
      '2 of 3 ready nodes',
      { healthyNodes: 2 },
    ],
    ['there is no storage class', { storageClasses: 0 }, 'no storage class', { storageClassReady: false }],
    [
      'the cluster is not ready',
      { cluster: [condition('False')] },
      'the cluster is not ready',
      { clusterReady: false },
    ],
    ['the cluster is not known yet', { cluster: undefined }, 'the cluster is not ready', { clusterReady: false }],
    [
      'an add-on is missing',
      { addons: { CloudNativePG: false } },
      'CloudNativePG is not installed',
      { addonsReady: false },
    ],
    [
      'much is missing',
      { nodes: [], storageClasses: 0 },
      '0 of 3 ready nodes, no storage class',
      { healthyNodes: 0, storageClassReady: false },
    ],
  ]
  for (const [what, change, missing, facts] of table) {
    it(`does not hold when ${what}`, () => {
      const found = readinessOf({ ...able, ...change })
      expect(found.verdict).to.deep.equal({
        ready: false,
        reason: 'Lacking',
        message: `Not highly available: ${missing}`,
      })
      expect(found.facts).to.deep.equal({ ...readinessOf(able).facts, ready: false, ...facts })
    })
  }
})
