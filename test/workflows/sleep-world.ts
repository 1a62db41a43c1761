/** What the tests of services that sleep read, and what KEDA would do, which the test does itself. */
import type { V1Deployment, V1Ingress } from '@kubernetes/client-node'
import type { KubeObject, Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { targetNamespace } from '../../kinds/apps/spec/place.ts'
import { sleepTypes } from '../../kinds/meta/resource-types.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { createApp, type TestRecords, until } from '../harness/records.ts'

export type LiveDeployment = Sent<V1Deployment>
export type Scaler = KubeObject & { spec: Record<string, unknown> & { minReplicaCount: number } }
export type Route = KubeObject & { spec: Record<string, unknown> }

const idle = { enabled: true, idleSeconds: 60 }

/** A draft with a host of its own that sleeps when idle. */
export function createSleeper(records: TestRecords, project: Project, spec: Partial<AppSpec> = {}): Promise<App> {
  return createApp(records, project, {
    scaleToZero: idle,
    ingress: {
      host: `${project.metadata.name}-${Date.now()}.example.com`,
      path: '/',
      tlsEnabled: false,
      rules: [],
    } as never,
    ...spec,
  })
}

export function sleepReader({ client, apps }: TestRecords, app: App) {
  const { name } = app.metadata
  const namespace = targetNamespace(app.spec)
  const deployment = { type: coreTypes.deployment, namespace, name }
  return {
    deployment: () => client.get<LiveDeployment>(deployment),
    copies: async () => (await client.get<LiveDeployment>(deployment))?.spec?.replicas,
    scaler: () => client.get<Scaler>({ type: sleepTypes.scaler, namespace, name }),
    route: () => client.get<Route>({ type: sleepTypes.route, namespace, name }),
    /** The Service that its Ingress leads to. */
    leadsTo: async () => {
      const ingress = await client.get<Sent<V1Ingress>>({ type: coreTypes.ingress, namespace, name })
      return ingress?.spec?.rules?.[0]?.http?.paths[0]?.backend.service?.name ?? ''
    },
    service: (of: string) =>
      client.get<KubeObject & { spec: object }>({ type: coreTypes.service, namespace, name: of }),
    /** As KEDA does. */
    scale: (replicas: number) => client.patch(deployment, { spec: { replicas } }, { subresource: 'scale' }),
    untilSays: (active: boolean, message?: string) =>
      until(
        apps,
        app,
        (record) =>
          record?.status?.scaleToZero?.active === active &&
          (message === undefined || record.status.scaleToZero.message === message),
        `sleep-when-idle ${active ? 'on' : 'off'}`,
      ),
    untilAsleep: (sleeping: boolean) =>
      until(apps, app, (record) => record?.status?.sleeping === sleeping, sleeping ? 'asleep' : 'awake'),
  }
}

/** Who owns the number of copies, by the cluster's own word. */
export function ownersOfCopies(deployment: LiveDeployment | undefined): string[] {
  const entries = (deployment?.metadata.managedFields ?? []) as {
    manager: string
    subresource?: string
    fieldsV1?: { 'f:spec'?: object }
  }[]
  return entries
    .filter(({ fieldsV1 }) => Object.hasOwn(fieldsV1?.['f:spec'] ?? {}, 'f:replicas'))
    .map(({ manager, subresource }) => (subresource === 'scale' ? 'scale' : manager))
}
