/** The namespace of builds, and the names of the objects of a build. */
import { labels, managedBySvc } from '../meta/annotations.ts'
import { digest } from '../meta/digest.ts'
import type { Build } from './kind.ts'

/** The namespace of the Jobs of all builds: no pods of environments, and no Secrets but those of builds. */
export const buildsNamespace = 'svc-builds'

/** A rootless BuildKit makes user namespaces, which the levels `baseline` and `restricted` forbid. */
export const buildsNamespaceManifest = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name: buildsNamespace,
    labels: { [labels.managedBy]: managedBySvc, 'pod-security.kubernetes.io/enforce': 'privileged' },
  },
} as const

/**
 * A build has the name of its deploy, so that a second creation finds the first; a retried deploy gets another name.
 */
export function buildName(attempt: string, retryToken: string): string {
  return retryToken === '' ? attempt : `${attempt}-${digest(retryToken).slice(0, 5)}`
}

/** Name of the Job and of its Secret. A Job's name becomes a label of its pods, so it has at most 63 characters. */
export function jobName({ metadata: { name, uid = '' } }: Build): string {
  return `${name.slice(0, 46)}-${digest([name, uid]).slice(0, 10)}`
}

/**
 * The labels of all objects of a build. The app label is not among them: the pods of a build are no copies of the
 * service.
 */
export function buildLabels({ metadata }: Build): Record<string, string> {
  return {
    [labels.managedBy]: managedBySvc,
    [labels.owner]: metadata.uid ?? '',
    [labels.purpose]: 'build',
  }
}

/** Tag of the image, and of its cache: one repository may hold the images of many services. */
export const tagOf = (app: string, revision: string): string => `${app}-${revision.slice(0, 12)}`
