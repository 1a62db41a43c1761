/** The serverless add-on of the node: KEDA's interceptor as a pod, and a scaler of svc's own unless KEDA is there. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connectCluster, type ClusterClient } from '../../cluster/client.ts'
import { installCrds, parseCrds } from '../../cluster/install-crds.ts'
import type { KubeObject } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { definitionOf, sleepTypes } from '../../kinds/meta/resource-types.ts'
import { singleProgram } from '../images/catalogue.ts'
import { fillRegistry } from '../images/fill.ts'
import { answers } from '../processes/answers.ts'
import { startScaler } from '../serverless/scaler.ts'
import { resolveServer } from '../servers/resolve.ts'
import { applyAddons } from './addons.ts'
import { kubeconfigPath } from './certificates.ts'
import { tagOf } from './images.ts'
import type { NodeNetwork } from './network.ts'
import { until } from './ready.ts'
import { REGISTRY_PORT } from './config-files.ts'

const ANSWERS_WITHIN_MS = 120_000
const program = 'keda-interceptor'
const ownLabel = 'svc.dev/one-machine'

/** `address:port` where the node's interceptor takes requests, once it is there. */
export const interceptorOf = ({ interceptorAddress }: NodeNetwork): string => `${interceptorAddress}:8080`

export interface Serverless {
  /** Whether a former start brought it: its services need it to wake. */
  wasMade(): Promise<boolean>
  /** Makes its image where this machine lacks it, which takes minutes once; resolves when requests are held by it. */
  make(report: (line: string) => void): Promise<void>
  stop(): Promise<void>
}

export function createServerless(nodeDir: string, network: NodeNetwork): Serverless {
  const kubeconfig = kubeconfigPath(nodeDir, 'admin')
  const client = connectCluster({ kubeconfig })
  let scaler: { stop(): Promise<void> } | undefined
  return {
    wasMade: async () =>
      (await readDefinition(client, definitionOf(sleepTypes.route)))?.metadata.labels?.[ownLabel] !== undefined,
    async make(report) {
      const path = await resolveServer(program, { progress: report, keepBuilds: true })
      const image = singleProgram('kedacore/http-add-on-interceptor', [tagOf(program)], path, 'interceptor')
      const registry = `http://${network.nodeAddress}:${REGISTRY_PORT}`
      await fillRegistry(registry, join(nodeDir, 'images-serverless.json'), [image], report)
      // Before svc may use them: what is put to sleep is woken by both.
      const values = { INTERCEPTOR_TAG: tagOf(program), INTERCEPTOR_ADDRESS: network.interceptorAddress }
      await installKinds(client, 'interceptor-routes.yaml')
      await applyAddons(kubeconfig, 'serverless.yaml', values)
      const admin = `http://${network.interceptorAddress}:9090`
      await until(() => answers(`${admin}/readyz`), ANSWERS_WITHIN_MS, 'the interceptor did not answer')
      if (await hasKeda(client)) return report('KEDA itself is on this cluster and scales the services')
      await installKinds(client, 'scaled-objects.yaml')
      scaler = await startScaler({ client, interceptor: admin, say: report })
    },
    async stop() {
      await scaler?.stop()
      await client.close()
    },
  }
}

/** Resolves when the cluster serves them. By svc's own client, since the other one drops what it does not know. */
async function installKinds(client: ClusterClient, file: string): Promise<void> {
  const text = await readFile(join(import.meta.dirname, file), 'utf8')
  await installCrds(client, parseCrds(text), { manager: 'svc-local' })
}

/** Whether its definition is another's than ours. */
async function hasKeda(client: ClusterClient): Promise<boolean> {
  const definition = await readDefinition(client, definitionOf(sleepTypes.scaler))
  return definition !== undefined && definition.metadata.labels?.[ownLabel] === undefined
}

const readDefinition = (client: ClusterClient, name: string) =>
  client.get<KubeObject>({ type: coreTypes.customResourceDefinition, name })
