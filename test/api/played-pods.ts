/** Pods of a service on the simulated cluster, and the log lines of their containers. */
import { appendFile } from 'node:fs/promises'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { ownedLabels } from '../../kinds/apps/names.ts'
import { systemNamespace } from '../../kinds/meta/group.ts'
import { namespaceOf } from '../../kinds/meta/namespaces.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import type { TestApi } from './test-api.ts'

/** Appends to the one file that every container of the simulated cluster has as its log. */
export async function writeLog(line: string): Promise<void> {
  const { cluster } = await useStack()
  await appendFile(cluster.containerLog, `${new Date().toISOString()} stdout F ${line}\n`)
}

/** Without a worker only the test makes pods; resolves when the api's cache shows that the pod runs. */
export async function startPod(api: TestApi, { app: name, pod }: { app: string; pod: string }): Promise<void> {
  const { client } = await useStack()
  const app = await client.get<App>({ type: resourceTypes.app, namespace: systemNamespace, name })
  if (app === undefined) throw new Error(`there is no service ${name}`)
  const { project, environment } = app.spec
  const namespace = namespaceOf(project, environment)
  await client.apply(coreTypes.namespace, { metadata: { name: namespace } }, { manager: 'test' })
  const labels = ownedLabels({ name, uid: app.metadata.uid ?? '', project, environment })
  const manifest = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: pod, namespace, labels },
    spec: { containers: [{ name: 'app', image: 'svc/hello:1' }], automountServiceAccountToken: false },
  }
  await eventually('the pod is admitted', async () => {
    try {
      await client.apply(coreTypes.pod, manifest, { manager: 'test' })
      return true
    } catch {
      return false // the namespace's service account does not exist yet
    }
  })
  await eventually('the pod runs', () => api.needs.caches.pods.get(pod, namespace)?.status?.phase === 'Running')
}
