/** The readiness checks of a starting node: the API answers, the node sends a new heartbeat, DNS resolves a Service. */
import { readFileSync } from 'node:fs'
import { Resolver } from 'node:dns/promises'
import { request } from 'node:https'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CoreV1Api, KubeConfig } from '@kubernetes/client-node'
import { scaledLimit } from '../processes/time-limits.ts'
import { NODE } from './certificates.ts'
import type { NodeNetwork } from './network.ts'

const PROBE_EVERY_MS = 50
const LOOK_EVERY_MS = 150

/**
 * Calls `probe` until it returns true; throws `what` when it did not within `usualMs`, multiplied for a slow machine.
 */
export async function until(
  probe: () => Promise<boolean>,
  usualMs: number,
  what: string,
  everyMs = PROBE_EVERY_MS,
): Promise<void> {
  const withinMs = scaledLimit(usualMs)
  for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(everyMs)) if (await probe()) return
  throw new Error(`${what} after ${Math.round(withinMs / 1000)} s`)
}

/** The API server's /readyz, over TLS checked against the node's authority; it requires no login. */
export function apiIsReady(nodeDir: string, network: NodeNetwork): Promise<boolean> {
  const ca = readFileSync(join(nodeDir, 'pki/ca.crt'))
  return new Promise((resolve) => {
    const asking = request(
      `https://${network.nodeAddress}:6443/readyz`,
      { ca, timeout: scaledLimit(1000), agent: false },
      (answer) => {
        answer.resume()
        resolve(answer.statusCode === 200)
      },
    )
    asking.on('timeout', () => asking.destroy())
    asking.on('error', () => resolve(false))
    asking.end()
  })
}

/** Waits for a Ready heartbeat of this start: the one of the last start is still in etcd and is Ready, too. */
export async function nodeIsReady(kubeconfig: string, since: number, withinMs: number): Promise<void> {
  const config = new KubeConfig()
  config.loadFromFile(kubeconfig)
  const api = config.makeApiClient(CoreV1Api)
  const probe = async (): Promise<boolean> => {
    const nodes = await api.listNode({ fieldSelector: `metadata.name=${NODE}` })
    const ready = nodes.items[0]?.status?.conditions?.find((condition) => condition.type === 'Ready')
    return ready?.status === 'True' && (ready.lastHeartbeatTime?.getTime() ?? 0) >= since
  }
  await until(probe, withinMs, 'the node did not report Ready', LOOK_EVERY_MS)
}

/** A real query from this machine to the cluster's DNS: proves pods, Service routing and the way in at once. */
export async function dnsAnswers(network: NodeNetwork, withinMs: number): Promise<void> {
  const probe = async (): Promise<boolean> => {
    const resolver = new Resolver({ timeout: scaledLimit(500), tries: 1 })
    resolver.setServers([network.dnsAddress])
    return resolver.resolve4('kubernetes.default.svc.cluster.local').then(
      (found) => found.includes(network.apiServiceAddress),
      () => false,
    )
  }
  await until(probe, withinMs, 'the cluster DNS did not answer', LOOK_EVERY_MS)
}
