/** SvcApp, a service: its spec, its status and what the cluster shows and refuses of it. */
import { z } from 'zod'
import { attemptPhases } from '../../contract/fields/words.ts'
import { dnsLabelMax, replicas, runOnTagsMax, servicePort } from '../../contract/limits.ts'
import { imageMax, retentionHoursMax, shortListMax, variablesMax } from '../meta/bounds.ts'
import type { KindDefinition } from '../schema/definition.ts'
import {
  asMap,
  asSet,
  environmentName,
  nameRef,
  notActedOn,
  projectName,
  reconciledStatus,
  resources,
  rules,
  runOn,
  secretKeyRef,
  text,
  time,
  variableName,
} from '../schema/fields.ts'
import { resourceTypes } from '../meta/resource-types.ts'
import type { Resource } from '../meta/resource.ts'
import { notSystemSecret } from '../system-secrets.ts'
import {
  autoscaling,
  build,
  deploy,
  ingress,
  port,
  scaleToZero,
  volume,
  volumeRefusals,
} from './spec/workload-schema.ts'
import { source } from './spec/source.ts'

const envVariable = z
  .object({
    name: variableName.meta({ description: 'Name of the variable.' }),
    value: text.optional().meta({ description: 'Plain value.' }),
    valueFrom: z
      .object({ secretKeyRef: secretKeyRef.meta({ description: 'Key of a Secret in the namespace of the service.' }) })
      .optional()
      .meta({ description: 'Where the value is read from.' }),
  })
  .meta(rules({ rule: '!(has(self.value) && has(self.valueFrom))', message: 'set value or valueFrom, not both' }))

const envSource = z
  .object({
    secretRef: nameRef.optional().meta({ description: 'A Secret whose keys become variables.' }),
    configMapRef: nameRef.optional().meta({ description: 'A ConfigMap whose keys become variables.' }),
  })
  .meta(
    rules({
      rule: 'has(self.secretRef) != has(self.configMapRef)',
      message: 'set exactly one of secretRef and configMapRef',
    }),
  )

export const appSpec = z.object({
  project: projectName.meta({ description: 'ID of the project.' }),
  environment: environmentName.meta({ description: 'Environment of the project.' }),
  source,
  replicas: z
    .int()
    .min(replicas.min)
    .max(replicas.max)
    .default(1)
    .meta({ description: 'Copies that run; ignored while autoscaling is on.' }),
  port: port.default(servicePort.default).meta({ description: 'Port the container listens on.' }),
  ingress,
  env: z
    .array(envVariable)
    .max(variablesMax)
    .default([])
    .meta({ description: 'Variables with a value or a reference.', ...asMap('name') }),
  envFrom: z
    .array(envSource)
    .max(shortListMax)
    .default([])
    .meta({ description: 'Secrets and ConfigMaps taken whole.' }),
  sharedVariableRefs: z
    .array(variableName)
    .max(variablesMax)
    .default([])
    .meta({ description: 'Shared variables of the project it gets; empty is all of its environment.', ...asSet }),
  configData: z.record(z.string(), text).default({}).meta({ description: 'Plain variables set through the API.' }),
  secretRef: nameRef
    .optional()
    .meta({ description: 'Secret with its secret variables, <app>-secrets.', ...rules(notSystemSecret) }),
  metrics: z
    .object({
      enabled: z.boolean().default(false).meta(notActedOn),
      path: z.string().max(1024).regex(/^\//).default('/metrics').meta(notActedOn),
      port: port.optional().meta(notActedOn),
    })
    .prefault({})
    .meta(notActedOn),
  logs: z
    .object({
      retentionHours: z.int().min(1).max(retentionHoursMax).optional().meta(notActedOn),
    })
    .optional()
    .meta({ description: 'Log settings.' }),
  build: build.optional().meta({ description: 'How it is built and started.' }),
  deploy,
  resources: resources('100m', '128Mi'),
  autoscaling: autoscaling.optional(),
  scaleToZero,
  volume: volume.optional(),
  runOn: runOn(runOnTagsMax),
  runAsRoot: z.boolean().optional().meta({
    description: 'Its copies may run as root where the environment refuses that; an admin says so.',
  }),
})

const count = z.int().min(0)

const lastAttempt = z.object({
  id: z.string().meta({ description: 'Name of the deployment record.' }),
  phase: z.enum(attemptPhases).meta({ description: 'How far it is.' }),
  startedAt: time.optional().meta({ description: 'When it began.', format: 'date-time' }),
  completedAt: time.optional().meta({ description: 'When it ended.', format: 'date-time' }),
  summary: z.string().optional().meta({ description: 'What happened, in a sentence.' }),
  errors: z.array(z.string()).optional().meta({ description: 'What went wrong, newest last.' }),
})

/** The end of a deploy that succeeded, from which the lines in its log follow (records/store/success-steps.ts). */
const success = z.object({
  id: z.string().meta({ description: 'Name of the deployment record.' }),
  startedAt: time.meta({ description: 'When it began.', format: 'date-time' }),
  completedAt: time.meta({ description: 'When it ended.', format: 'date-time' }),
  summary: z.string().meta({ description: 'What happened, in a sentence.' }),
  image: z.string().max(imageMax).optional().meta({ description: 'Image that was frozen for it.' }),
  note: z.string().optional().meta({ description: 'Why the digest of that image is not known.' }),
})

export const appStatus = z.object({
  ...reconciledStatus,
  targetNamespace: z.string().optional().meta({ description: 'Namespace it runs in.' }),
  leaving: z
    .array(z.string())
    .optional()
    .meta({ description: 'Namespaces it ran in before; what is left there goes once it runs in this one.' }),
  schedules: z
    .array(z.string())
    .optional()
    .meta({ description: 'Names of the schedules that Temporal may have for it.' }),
  failingSchedules: count
    .optional()
    .meta({ description: 'How many of its schedules failed again and again since its last deploy.' }),
  url: z.string().optional().meta({ description: 'Public address, when it has one.' }),
  hosts: z
    .array(z.string())
    .optional()
    .meta({ description: 'Hosts that lead to it; they stay its own as long as it asks for them.' }),
  image: z.string().optional().meta({ description: 'Image that runs.' }),
  frozenImage: z
    .object({
      attempt: z.string().meta({ description: 'The attempt it was frozen for.' }),
      image: z
        .string()
        .max(imageMax)
        .meta({ description: 'Image its copies run, with the digest that its tag named then.' }),
      note: z.string().optional().meta({ description: 'Why the digest is not known.' }),
    })
    .optional()
    .meta({ description: 'What the tag of the image meant when the newest deploy began.' }),
  release: z.string().optional().meta({ description: 'Release that runs.' }),
  applied: z.string().optional().meta({ description: 'Digests of the objects that it was made of.' }),
  replicas: z
    .object({
      desired: count.default(0).meta({ description: 'Copies asked for.' }),
      ready: count.default(0).meta({ description: 'Copies that answer.' }),
      available: count.default(0).meta({ description: 'Copies that get requests.' }),
    })
    .optional()
    .meta({ description: 'Copies now.' }),
  sleeping: z.boolean().optional().meta({ description: 'True while sleep-when-idle has no copy running.' }),
  scaleToZero: z
    .object({
      active: z.boolean().meta({ description: 'Whether sleep-when-idle works here.' }),
      message: z.string().optional().meta({ description: 'Why not.' }),
    })
    .optional()
    .meta({ description: 'Sleep-when-idle as observed.' }),
  volume: z
    .object({
      claim: z.string().meta({ description: 'Name of the claim that the cluster may have for it.' }),
      uid: z.string().optional().meta({ description: 'Uid of that claim, once copies have run with it.' }),
    })
    .optional()
    .meta({ description: 'Its volume, also while no copy has it.' }),
  lastAttempt: lastAttempt.optional().meta({ description: 'The newest deploy.' }),
  history: z.array(success).optional().meta({ description: 'The newest deploys that succeeded, oldest first.' }),
})

export type AppSpec = z.output<typeof appSpec>
export type AppStatus = z.output<typeof appStatus>
export type LastAttempt = z.output<typeof lastAttempt>
export type Success = z.output<typeof success>
export type App = Resource<AppSpec, AppStatus>

export const appKind = {
  type: resourceTypes.app,
  singular: 'svcapp',
  shortNames: ['sapp'],
  description:
    'A service: a container image, a git repository or a function that runs in one environment of a project.',
  spec: appSpec,
  status: appStatus,
  statusSubresource: true,
  columns: [
    { name: 'Project', path: '.spec.project' },
    { name: 'Environment', path: '.spec.environment' },
    { name: 'Ready', path: ".status.conditions[?(@.type=='Ready')].status" },
    { name: 'Reason', path: ".status.conditions[?(@.type=='Ready')].reason" },
    { name: 'Copies', path: '.status.replicas.available', type: 'integer' },
    { name: 'URL', path: '.status.url' },
    { name: 'Attempt', path: '.status.lastAttempt.phase', wide: true },
    { name: 'Image', path: '.status.image', wide: true },
    { name: 'Age', path: '.metadata.creationTimestamp', type: 'date' },
  ],
  rules: [
    {
      rule: `size(self.metadata.name) <= ${dnsLabelMax}`,
      message: `the name of a service must be at most ${dnsLabelMax} characters`,
    },
    {
      rule: "!self.spec.deploy.enabled || !has(self.spec.source.image) || self.spec.source.image.image != ''",
      message: 'a deployed service needs an image',
    },
    {
      rule: '!has(self.spec.volume) || !has(self.spec.source.function)',
      message: volumeRefusals.function,
    },
    {
      rule:
        '!has(self.spec.volume) || (self.spec.replicas <= 1 && !has(self.spec.autoscaling) && ' +
        '(!has(self.spec.scaleToZero.maxReplicas) || self.spec.scaleToZero.maxReplicas == 1))',
      message: volumeRefusals.copies,
    },
  ],
} satisfies KindDefinition
