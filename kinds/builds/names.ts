/** Where builds run, and the names of what is made for one. */
import { labels, managedBySvc } from '../meta/annotations.ts'
import { digest } from '../meta/digest.ts'
import type { Build } from './kind.ts'

/** The Jobs of all builds: no environment's pods, and no Secrets but those of builds. */
export const buildsNamespace = 'svc-builds'

/** A rootless BuildKit makes user namespaces, which the levels `baseline` and `restricted` do not let in. */
export const buildsNamespaceManifest = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: {
    name: buildsNamespace,
    labels: { [labels.managedBy]: managedBySvc, 'pod-security.kubernetes.io/enforce': 'privileged' },
  },
} as const

/**
 * A build is named after the deploy that it is made for, so that making it a second time meets the first; a deploy that
 * is retried gets another.
 */
export function buildName(attempt: string, retryToken: string): string {
  return retryToken === '' ? attempt : `${attempt}-${digest(retryToken).slice(0, 5)}`
}

/** Of the Job and of its Secret; a Job's name is a label of its pods, and so of 63 characters at most. */
export function jobName({ metadata: { name, uid = '' } }: Build): string {
  return `${name.slice(0, 46)}-${digest([name, uid]).slice(0, 10)}`
}

/**
 * The labels of everything that is made for a build. Not the service's: the pods of a build are none of its copies.
 */
export function buildLabels({ metadata }: Build): Record<string, string> {
  return {
    [labels.managedBy]: managedBySvc,
    [labels.owner]: metadata.uid ?? '',
    [labels.purpose]: 'build',
  }
}

/** Of the image and of its cache: one repository may hold the images of many services. */
export const tagOf = (app: string, revision: string): string => `${app}-${revision.slice(0, 12)}`
