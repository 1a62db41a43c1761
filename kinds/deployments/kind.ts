/** SvcDeployment: one deploy in the history of a service; its existence starts no workload. */
import { z } from 'zod'
import { objectNameMax } from '../../contract/limits.ts'
import { annotations } from '../meta/annotations.ts'
import { imageMax, noteMax } from '../meta/bounds.ts'
import type { Parsed } from '../meta/parse-annotation.ts'
import type { KindDefinition } from '../schema/definition.ts'
import { environmentName, objectName, time } from '../schema/fields.ts'
import { resourceTypes } from '../meta/resource-types.ts'
import type { Resource } from '../meta/resource.ts'

const note = (description: string) => z.string().max(noteMax).optional().meta({ description })

export const deploymentSpec = z.object({
  app: z.string().min(1).max(objectNameMax).meta({ description: 'Name of the service.' }),
  project: z.string().min(1).max(objectNameMax).meta({ description: 'ID of the project.' }),
  environment: environmentName.meta({ description: 'Environment of the project.' }),
  image: z
    .string()
    .max(imageMax)
    .meta({ description: 'Image, build digest, <repository>@<branch> before a build, or function:<runtime>.' }),
  replicas: z.int().optional().meta({ description: 'Copies asked for at record time.' }),
  changeTitle: note('Readable reason.'),
  source: note('Dashboard, the git origin, or the name of the controller.'),
  actor: note('Dashboard for every deploy through the API.'),
  commit: note('Commit that runs; filled by the operator.'),
  buildRef: note('Build that made the image; filled by the operator.'),
  imageDigest: note('Digest of the image; filled by the operator.'),
  trigger: note('Reconciliation; filled by the operator.'),
  eventLogRef: note('Nothing sets it.'),
  rollbackRef: note('Nothing sets it.'),
})

export const deploymentStatus = z.object({
  phase: z.string().optional().meta({ description: 'Recorded, RollingOut or Available.' }),
  startedAt: time.optional().meta({ description: 'When it began.', format: 'date-time' }),
  completedAt: time.optional().meta({ description: 'When it ended.', format: 'date-time' }),
  availableReplicas: z.int().optional().meta({ description: 'Copies that get requests; active record only.' }),
  healthCheck: z.string().optional().meta({ description: 'What the probes say; active record only.' }),
})

export type DeploymentSpec = z.output<typeof deploymentSpec>
export type DeploymentStatus = z.output<typeof deploymentStatus>
export type Deployment = Resource<DeploymentSpec, DeploymentStatus>

export const deploymentKind = {
  type: resourceTypes.deployment,
  singular: 'svcdeployment',
  shortNames: ['sdep'],
  description: 'A deployment record: one deploy of a service, as history.',
  spec: deploymentSpec,
  status: deploymentStatus,
  statusSubresource: false,
  columns: [
    { name: 'App', path: '.spec.app' },
    { name: 'Phase', path: '.status.phase' },
    { name: 'Image', path: '.spec.image' },
    { name: 'Title', path: '.spec.changeTitle', wide: true },
    { name: 'Age', path: '.metadata.creationTimestamp', type: 'date' },
  ],
  rules: [],
} satisfies KindDefinition

/**
 * Names of the frozen Secrets of a record: its own, and that of the earlier release which a deploy with unchanged
 * secrets uses.
 */
export function frozenWith({ metadata: { name, annotations: notes } }: Pick<Deployment, 'metadata'>): string[] {
  const release = notes?.[annotations.release]
  return release === undefined ? [name] : [...new Set([name, release])]
}

/** The name of the frozen Secret that the release of a record uses; no value for a release without secrets. */
export function releaseSecretOf({ metadata }: Pick<Deployment, 'metadata'>): Parsed<string> {
  const name = metadata.annotations?.[annotations.release]
  if (name === undefined) return {}
  if (objectName.safeParse(name).success) return { value: name }
  return { unreadable: `the annotation ${annotations.release} cannot be read: it names no Secret` }
}
