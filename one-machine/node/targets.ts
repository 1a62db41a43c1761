/** Where the node's kubelet counts what pods use, for the metrics store of this machine. */
import { join } from 'node:path'
import { seriesRead, type Target } from '../metrics/scrape.ts'
import type { NodeNetwork } from './network.ts'

export const KUBELET_PORT = 10_250

/** cAdvisor, by a login that may read the kubelet's numbers and nothing else. */
export function kubeletTarget(nodeDir: string, { nodeAddress }: NodeNetwork): Target {
  const pki = (name: string): string => join(nodeDir, 'pki', name)
  return {
    job: 'kubelet',
    url: `https://${nodeAddress}:${KUBELET_PORT}/metrics/cadvisor`,
    series: seriesRead.cadvisor,
    podsOnly: true,
    tls: { ca: pki('ca.crt'), login: { certificate: pki('metrics.crt'), key: pki('metrics.key') } },
  }
}
