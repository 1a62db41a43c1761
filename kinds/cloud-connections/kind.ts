/** SvcCloudConnection: the account of a project at a cloud; its keys are in a Secret. */
import { z } from 'zod'
import { dnsLabelMax, objectNameMax } from '../../contract/limits.ts'
import type { KindDefinition } from '../schema/definition.ts'
import { nameRef, projectName, provision, reconciledStatus, rules } from '../schema/fields.ts'
import { resourceTypes } from '../meta/resource-types.ts'
import { notSystemSecret } from '../system-secrets.ts'
import type { Resource } from '../meta/resource.ts'

export const cloudConnectionSpec = z.object({
  provider: z.enum(['AWS', 'PlanetScale']).default('AWS').meta({ description: 'The cloud.' }),
  project: projectName.meta({ description: 'ID of the only project that may use it.' }),
  secretRef: nameRef.meta({ description: 'Secret with the keys, <name>-credentials.', ...rules(notSystemSecret) }),
  region: z.string().max(dnsLabelMax).default('').meta({ description: 'Region used when a resource names none.' }),
  organization: z.string().max(objectNameMax).default('').meta({ description: 'Organization at PlanetScale.' }),
})

export const cloudConnectionStatus = z.object({
  ...reconciledStatus,
  provision,
  checkedKeys: z.string().optional().meta({ description: 'Version of the Secret whose keys were checked last.' }),
  account: z
    .string()
    .optional()
    .meta({ description: 'Number of the AWS account, or the organization at PlanetScale.' }),
})

export type CloudConnectionSpec = z.output<typeof cloudConnectionSpec>
export type CloudConnectionStatus = z.output<typeof cloudConnectionStatus>
export type CloudConnection = Resource<CloudConnectionSpec, CloudConnectionStatus>

export const cloudConnectionKind = {
  type: resourceTypes.cloudConnection,
  singular: 'svccloudconnection',
  shortNames: ['scc'],
  description: 'A cloud account that a project may use.',
  spec: cloudConnectionSpec,
  status: cloudConnectionStatus,
  statusSubresource: true,
  columns: [
    { name: 'Provider', path: '.spec.provider' },
    { name: 'Project', path: '.spec.project' },
    { name: 'Ready', path: ".status.conditions[?(@.type=='Ready')].status" },
    { name: 'Reason', path: ".status.conditions[?(@.type=='Ready')].reason" },
    { name: 'Age', path: '.metadata.creationTimestamp', type: 'date' },
  ],
  rules: [],
} satisfies KindDefinition
