/** The peer of a function's first deploy: the same objects, applied with kubectl and asked by their Service. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { V1ConfigMap, V1Deployment } from '@kubernetes/client-node'
import type { ClusterClient } from '../../cluster/client.ts'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { resolveServer } from '../../one-machine/index.ts'
import { firstAnswer } from '../functions/answers.ts'
import { type Made, manifestOf, readSameObjects } from './same-objects.ts'

const run = promisify(execFile)
const namespace = 'bench-kubectl-function'
const name = 'peer'

/** Resolves with the milliseconds from `kubectl apply` to the first answer; what was applied before is gone by then. */
export async function createKubectlFunction(
  kubeconfig: string,
  folder: string,
  client: ClusterClient,
  made: Made,
): Promise<{ toAnswer(): Promise<number> }> {
  const live = await client.get<Sent<V1Deployment>>({ type: coreTypes.deployment, ...made })
  const { containers = [], volumes = [] } = live?.spec?.template.spec ?? {}
  const code = volumes.find(({ configMap }) => configMap !== undefined)?.configMap?.name ?? ''
  const found = await client.get<Sent<V1ConfigMap>>({
    type: coreTypes.configMap,
    namespace: made.namespace,
    name: code,
  })
  const { beside, deployment } = await readSameObjects(client, made, name)
  const config = { type: coreTypes.configMap, body: { metadata: { name: code, labels: {} }, data: found?.data } }
  const items = [config, ...beside, deployment(containers[0]?.image ?? '')].map(manifestOf)
  const file = join(folder, 'kubectl-function.json')
  await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
  await client.create(coreTypes.namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
  const kubectl = await resolveServer('kubectl', { progress: () => undefined })
  const call = (...args: string[]) => run(kubectl, ['--kubeconfig', kubeconfig, '--namespace', namespace, ...args])
  return {
    async toAnswer() {
      await call('delete', '--ignore-not-found', '--wait', '-f', file)
      const began = performance.now()
      await call('apply', '-f', file)
      return (await firstAnswer(client, namespace, name)) - began
    },
  }
}
