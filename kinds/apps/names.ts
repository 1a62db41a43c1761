/** The names of all objects that are made for a service. */
import { labels, managedBySvc } from '../meta/annotations.ts'
import { digest } from '../meta/digest.ts'

/** The Secret in svc-system that holds the secret variables being edited (`spec.secretRef`). */
export function draftSecretName(app: string): string {
  return `${app}-secrets`
}

/** The Secret in svc-system with the key by which a git server signs its deliveries for the service. */
export function gitWebhookSecretName(app: string): string {
  return `${app}-git-webhook`
}

/** The Secret in svc-system with the key pair for reading the repository of the service over ssh. */
export function deployKeyName(app: string): string {
  return `${app}-deploy-key`
}

/** The PersistentVolumeClaim of a service, in the namespace that it runs in. */
export function volumeClaimName(app: string): string {
  return `${app}-volume`
}

/**
 * The Service by which the ingress finds the interceptor of the add-on. Every service has a Service of its own name, so
 * this name carries a digest and is that of no service.
 */
export const wakeServiceName = (name: string, uid: string): string =>
  `${name.slice(0, 48).replace(/-+$/, '')}-wake-${digest(uid).slice(0, 8)}`

/** The deployment record that always shows what runs now (docs/reference/deployments.md#deployment-record). */
export function activeRecordName(app: string): string {
  return `${app}-active`
}

/** The value of the purpose label on the ConfigMap with the last runs of a function's schedules. */
export const functionRunsPurpose = 'function-runs'

/** Name of the ConfigMap in svc-system with the last runs of a function's schedules. */
export function functionRunsName(app: string): string {
  return `${app}-function-runs`
}

/**
 * A record name: `<app>-<5 random characters>` (docs/reference/deployments.md#deployment-record); `random` gives 5
 * characters of [a-z0-9].
 */
export function recordName(app: string, random: string): string {
  return `${app}-${random}`
}

/** The labels of the records in svc-system that stand for a service: its own record and `<app>-active`. */
export const recordLabels = ({ project, environment }: { project: string; environment: string }) => ({
  [labels.managedBy]: managedBySvc,
  [labels.project]: project,
  [labels.environment]: environment,
})

/** The labels that every object made for a service carries. */
export function ownedLabels(app: {
  name: string
  uid: string
  project: string
  environment: string
}): Record<string, string> {
  return { ...recordLabels(app), [labels.app]: app.name, [labels.owner]: app.uid }
}
