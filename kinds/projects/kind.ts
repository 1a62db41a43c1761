/** SvcProject: environments, shared settings and what the cluster shows and refuses of them. */
import { z } from 'zod'
import {
  bucketName,
  displayNameMax,
  dnsLabelMax,
  environmentNameMax,
  namespaceMax,
  networkAllowProjects,
  pullRequestEnvironments,
  pullRequestNumberMax,
  requiredTagsPerProject,
  webhookIdMax,
  webhookUrlMax,
  webhooksPerProject,
  variableNameMax,
} from '../../contract/limits.ts'
import * as patterns from '../../contract/fields/patterns.ts'
import { webhookEvents } from '../../contract/fields/words.ts'
import { environmentsMax, gitNameMax, pullRequestsMax, variablesMax } from '../meta/bounds.ts'
import type { KindDefinition } from '../schema/definition.ts'
import {
  asMap,
  asSet,
  environmentName,
  nameRef,
  nodeTag,
  projectName,
  reconciledStatus,
  rules,
  secretKeyRef,
  text,
  time,
} from '../schema/fields.ts'
import { resourceTypes } from '../meta/resource-types.ts'
import type { Resource } from '../meta/resource.ts'
import { notSystemSecret } from '../system-secrets.ts'

const sharedVariable = z
  .object({
    name: z
      .string()
      .min(1)
      .max(variableNameMax)
      .regex(patterns.variableName)
      .meta({ description: 'Name of the variable.' }),
    environment: z
      .string()
      .max(environmentNameMax)
      .regex(patterns.orEmpty(patterns.dnsLabel))
      .default('')
      .meta({ description: 'Environment it is for; empty is every one.' }),
    value: text.optional().meta({ description: 'Plain value.' }),
    secretRef: secretKeyRef
      .optional()
      .meta({ description: 'Where a secret value is kept.', ...rules(notSystemSecret) }),
  })
  .meta(rules({ rule: 'has(self.value) != has(self.secretRef)', message: 'set exactly one of value and secretRef' }))

const webhook = z.object({
  id: z.string().min(1).max(webhookIdMax).regex(patterns.dnsLabel).meta({ description: 'ID of the webhook.' }),
  url: z
    .string()
    .max(webhookUrlMax)
    .regex(/^https?:\/\//)
    .meta({ description: 'Where events are sent.' }),
  events: z
    .array(z.enum(webhookEvents))
    .max(webhookEvents.length)
    .default([])
    .meta({ description: 'Events that are sent; empty is every one of deploys.', ...asSet }),
  disabled: z.boolean().default(false).meta({ description: 'Send nothing for now.' }),
  since: time.exactOptional().meta({
    description:
      'When it was last enabled or given its events; an event that is sent late never reaches back before it.',
    format: 'date-time',
  }),
})

const network = z
  .object({
    isolation: z
      .enum(['Project', 'None'])
      .default('None')
      .meta({ description: 'Project lets only the own project in; None lets every one in.' }),
    allowFromProjects: z
      .array(projectName)
      .max(networkAllowProjects)
      .default([])
      .meta({ description: 'Projects that are let in all the same.', ...asSet }),
  })
  .prefault({})
  .meta({ description: 'Who may reach the pods of the project.' })

const pullRequests = z
  .object({
    enabled: z.boolean().default(false).meta({ description: 'Make an environment for each pull request.' }),
    baseEnvironment: z.string().max(environmentNameMax).default('').meta({ description: 'Environment they copy.' }),
    maxOpen: z
      .int()
      .min(pullRequestEnvironments.min)
      .max(pullRequestEnvironments.max)
      .default(pullRequestEnvironments.default)
      .meta({ description: 'Most of them at once.' }),
  })
  .prefault({})
  .meta({ description: 'Environments of pull requests.' })

const pullRequest = z.object({
  repository: z
    .string()
    .min(3)
    .max(gitNameMax)
    .regex(/^[a-z0-9_.-]+\/[a-z0-9_.-]+$/)
    .meta({ description: 'Repository as owner/name in lower case.' }),
  number: z.int().min(1).max(pullRequestNumberMax).meta({ description: 'Number of the pull request.' }),
  environment: environmentName
    .optional()
    .meta({ description: 'Environment that was made for it; none once that was closed.' }),
  base: environmentName.optional().meta({ description: 'Environment that it is a copy of.' }),
  commit: z
    .string()
    .max(64)
    .optional()
    .meta({ description: 'Commit that is built in it, or that it was closed at: it opens again with another one.' }),
  fork: z
    .boolean()
    .optional()
    .meta({ description: 'Whether the commits come from another repository: it gets no secrets then.' }),
  allowed: z.string().max(64).optional().meta({ description: 'Commit of a fork that an admin has allowed.' }),
  activeAt: time.optional().meta({ description: 'When it was opened or got its last commit.', format: 'date-time' }),
})

const gitHost = z.object({
  environment: environmentName.meta({ description: 'Environment that is connected.' }),
  installation: z.int().min(1).meta({ description: 'Installation of the git-host app.' }),
  account: z.string().max(255).optional().meta({ description: 'User or organization that installed it.' }),
})

export const projectSpec = z.object({
  displayName: z.string().max(displayNameMax).default('').meta({ description: 'Readable name.' }),
  clusterRef: nameRef
    .extend({ name: nameRef.shape.name.default('default').meta({ description: 'Name of the SvcCluster.' }) })
    .prefault({})
    .meta({ description: 'Cluster the project runs on; fixed once observed.' }),
  environments: z
    .array(environmentName)
    .min(1)
    .max(environmentsMax)
    .meta({ description: 'Names of the environments.', ...asSet }),
  region: z.string().max(dnsLabelMax).default('').meta({ description: 'Region the workloads run in; empty is any.' }),
  requiredTags: z
    .array(nodeTag)
    .max(requiredTagsPerProject)
    .default([])
    .meta({ description: 'Compliance tags every node of the project must carry.', ...asSet }),
  network,
  sharedVariables: z
    .array(sharedVariable)
    .max(variablesMax)
    .default([])
    .meta({ description: 'Variables the services of an environment get.', ...asMap('name', 'environment') }),
  pullRequestEnvironments: pullRequests,
  webhooks: z
    .array(webhook)
    .max(webhooksPerProject)
    .default([])
    .meta({ description: 'Where deploy events are sent; signing secrets are kept in a Secret.', ...asMap('id') }),
  gitHosts: z
    .array(gitHost)
    .max(environmentsMax)
    .optional()
    .meta({
      description: 'Which installation of the git-host app each environment builds from.',
      ...asMap('environment'),
    }),
  pullRequests: z
    .array(pullRequest)
    .max(pullRequestsMax)
    .optional()
    .meta({
      description: 'Pull requests that an environment was made for, or that an admin has decided about.',
      ...asMap('repository', 'number'),
    }),
  backupStorage: z
    .object({
      source: z
        .enum(['CloudConnection', 'ObjectStore'])
        .optional()
        .meta({ description: 'What connectionRef names: a cloud connection, also when left out, or a bucket here.' }),
      connectionRef: nameRef.meta({ description: 'Cloud connection or SvcObjectStore that owns the bucket.' }),
      bucket: z.string().min(1).max(bucketName.max).meta({ description: 'Bucket backups are written to.' }),
      region: z.string().max(dnsLabelMax).default('').meta({ description: 'Region of the bucket.' }),
    })
    .optional()
    .meta({ description: 'Where backups of databases go.' }),
})

export const projectStatus = z.object({
  ...reconciledStatus,
  clusterRef: z.string().optional().meta({ description: 'Name of the cluster the project is on.' }),
  environments: z
    .array(
      z.object({
        name: z.string().meta({ description: 'Name of the environment.' }),
        namespace: z.string().meta({ description: 'Namespace made for it.' }),
        phase: z.string().meta({ description: 'Ready, Pending, Failed or Deleting.' }),
      }),
    )
    .optional()
    .meta({ description: 'Environments as they stand.', ...asMap('name') }),
})

export type ProjectSpec = z.output<typeof projectSpec>
export type ProjectStatus = z.output<typeof projectStatus>
export type Project = Resource<ProjectSpec, ProjectStatus>

export const projectKind = {
  type: resourceTypes.project,
  singular: 'svcproject',
  shortNames: ['sproj'],
  description: 'A project: environments that hold services, databases and buckets.',
  spec: projectSpec,
  status: projectStatus,
  statusSubresource: true,
  columns: [
    { name: 'Display name', path: '.spec.displayName' },
    { name: 'Environments', path: '.spec.environments' },
    { name: 'Ready', path: ".status.conditions[?(@.type=='Ready')].status" },
    { name: 'Reason', path: ".status.conditions[?(@.type=='Ready')].reason" },
    { name: 'Region', path: '.spec.region', wide: true },
    { name: 'Age', path: '.metadata.creationTimestamp', type: 'date' },
  ],
  rules: [
    {
      rule: `self.metadata.name.matches('${patterns.projectId.source}')`,
      message: 'the name of a project must be proj- and 8 hexadecimal digits',
    },
    {
      rule: `self.spec.environments.all(name, size(self.metadata.name) + 1 + size(name) <= ${namespaceMax})`,
      message: `project ID plus environment name must be at most ${namespaceMax} characters`,
    },
    {
      rule: 'self.spec.clusterRef.name == oldSelf.spec.clusterRef.name || !has(oldSelf.status) || !has(oldSelf.status.clusterRef)',
      message: 'clusterRef cannot change once the project is on a cluster',
    },
  ],
} satisfies KindDefinition
