/** The names of everything that is made for a service. */
import { labels, managedBySvc } from '../meta/annotations.ts'
import { digest } from '../meta/digest.ts'

/** The Secret in svc-system that holds the secret variables being edited (`spec.secretRef`). */
export function draftSecretName(app: string): string {
  return `${app}-secrets`
}

/** The Secret in svc-system that a git server's deliveries for the service are signed with. */
export function gitWebhookSecretName(app: string): string {
  return `${app}-git-webhook`
}

/** The Secret in svc-system with the key pair that the repository of the service is read with over ssh. */
export function deployKeyName(app: string): string {
  return `${app}-deploy-key`
}

/** The PersistentVolumeClaim of a service, in the namespace that it runs in. */
export function volumeClaimName(app: string): string {
  return `${app}-volume`
}

/**
 * The Service by which the ingress finds the interceptor of the add-on: a name that no service of the environment has,
 * since services have Services of their own names.
 */
export const wakeServiceName = (name: string, uid: string): string =>
  `${name.slice(0, 48).replace(/-+$/, '')}-wake-${digest(uid).slice(0, 8)}`

/** What the log object of an attempt is labelled with. */
export const attemptLogPurpose = 'attempt-log'

/** The ConfigMap in svc-system that holds the log lines of one attempt. */
export function attemptLogName(record: string): string {
  return `${record}-log`
}

/** The deployment record that always shows what runs now (docs/reference/deployments.md#deployment-record). */
export function activeRecordName(app: string): string {
  return `${app}-active`
}

/** What the ConfigMap with the last runs of a function's schedules is labelled with. */
export const functionRunsPurpose = 'function-runs'

/** That ConfigMap, in svc-system. */
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

/** The labels of the records that stand for a service in svc-system: its own, and the one of what runs now. */
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
