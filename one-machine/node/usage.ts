/** The use of the node's pods for autoscalers: reads the kubelet's counters and serves them to the API server. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { connectCluster, type ClusterClient } from '../../cluster/client.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes, type ResourceType } from '../../cluster/objects/resource-type.ts'
import { defined } from '../../contract/defined.ts'
import type { Named } from '../usage/answers.ts'
import { createUseReader } from '../usage/readings.ts'
import { startUsageServer, type UsageSource } from '../usage/server.ts'
import { applyAddons } from './addons.ts'
import { FRONT_PROXY, NODE, USAGE_SERVICE, kubeconfigPath } from './certificates.ts'
import type { NodeNetwork } from './network.ts'
import { KUBELET_PORT } from './targets.ts'

/** The kubelet reads its own counters about as often. */
const READ_EVERY_MS = 10_000
const ANSWER_WITHIN_MS = 5_000
/** Older numbers are none: an autoscaler had better wait than believe them. */
const TOO_OLD_MS = 60_000
const ownLabel = 'svc.dev/one-machine'
const apiService: ResourceType = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  kind: 'APIService',
  plural: 'apiservices',
  namespaced: false,
}
const usageApi = { type: apiService, name: 'v1beta1.metrics.k8s.io' }

interface Kubelet {
  /** Why there are no numbers now. */
  trouble(): string | undefined
  stop(): Promise<void>
}

/**
 * Resolves when the API server knows where the resource metrics API is. Where another program serves it already,
 * such as metrics-server, that one is left alone.
 */
export async function startUsage(nodeDir: string, network: NodeNetwork): Promise<{ stop(): Promise<void> }> {
  const client = connectCluster({ kubeconfig: kubeconfigPath(nodeDir, 'admin') })
  const there = await client.get<KubeObject>(usageApi)
  if (there !== undefined && there.metadata.labels?.[ownLabel] === undefined) {
    await client.close()
    return { stop: async () => undefined }
  }
  const pki = (name: string): Promise<Buffer> => readFile(join(nodeDir, 'pki', name))
  const [ca, cert, key] = await Promise.all([pki('ca.crt'), pki('metrics.crt'), pki('metrics.key')])
  const use = createUseReader()
  const agent = new Agent({ connect: { ca, cert, key } })
  const url = `https://${network.nodeAddress}:${KUBELET_PORT}/metrics/resource`
  const kubelet = follow(async () => use.note(await read(url, agent)))
  const source: UsageSource = { use, node: { name: NODE }, trouble: kubelet.trouble, pods: podsOf(client) }
  const server = await startUsageServer({
    source,
    host: network.hostAddress,
    tls: { ca, cert, key },
    caller: FRONT_PROXY,
  })
  const stop = async (): Promise<void> => {
    await kubelet.stop()
    await agent.destroy()
    await server.stop()
    await client.close()
  }
  const values = { SERVICE: USAGE_SERVICE, PORT: String(server.port), HOST_ADDRESS: network.hostAddress }
  try {
    await applyAddons(kubeconfigPath(nodeDir, 'admin'), 'usage.yaml', { ...values, AUTHORITY: ca.toString('base64') })
  } catch (error) {
    await stop()
    throw error
  }
  return {
    async stop() {
      // A name of an API that is not served keeps namespaces from being deleted; the next start writes it again.
      await client.delete(usageApi, { timeoutMs: 1_000 }).catch(() => undefined) // the API server has ended already
      await stop()
    },
  }
}

const podsOf =
  (client: ClusterClient): UsageSource['pods'] =>
  async ({ namespace, name, labelSelector }) => {
    const fieldSelector = name === undefined ? undefined : `metadata.name=${name}`
    const query = { metadataOnly: true, ...defined({ namespace, labelSelector, fieldSelector }) }
    const { items } = await client.list<KubeObject>(coreTypes.pod, query)
    return items.map(({ metadata }): Named => ({ name: metadata.name, ...defined(onlyNames(metadata)) }))
  }

const onlyNames = ({ namespace, labels }: KubeObject['metadata']) => ({ namespace, labels })

async function read(url: string, dispatcher: Agent): Promise<string> {
  const limits = { headersTimeout: ANSWER_WITHIN_MS, bodyTimeout: ANSWER_WITHIN_MS }
  const { statusCode, body } = await request(url, { dispatcher, ...limits })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`it answers ${statusCode}`)
  return text
}

/** Reads at once and then every ten seconds. */
function follow(once: () => Promise<void>): Kubelet {
  const stopper = new AbortController()
  let readAt = -Infinity
  let failed = 'it was not asked yet'
  const loop = async (): Promise<void> => {
    while (!stopper.signal.aborted) {
      try {
        await once()
        readAt = performance.now()
      } catch (error) {
        failed = error instanceof Error ? error.message : String(error) // for the next report
      }
      await delay(READ_EVERY_MS, undefined, { signal: stopper.signal }).catch(() => undefined) // stopped
    }
  }
  const running = loop()
  return {
    trouble: () =>
      performance.now() - readAt > TOO_OLD_MS ? `the kubelet does not say what its pods use: ${failed}` : undefined,
    async stop() {
      stopper.abort()
      await running
    },
  }
}
