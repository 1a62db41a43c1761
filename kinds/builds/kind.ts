/** SvcBuild: one build of a git service, from the wait for CI to the digest of the image. */
import { z } from 'zod'
import { buildVariablesMax, objectNameMax } from '../../contract/limits.ts'
import { gitNameMax, imageMax, pathMax, shortListMax } from '../meta/bounds.ts'
import type { KindDefinition } from '../schema/definition.ts'
import { asSet, environmentName, nameRef, projectName, reconciledStatus, time, variableName } from '../schema/fields.ts'
import { resourceTypes } from '../meta/resource-types.ts'
import type { Resource } from '../meta/resource.ts'

export const buildSpec = z.object({
  app: z.string().min(1).max(objectNameMax).meta({ description: 'Name of the service.' }),
  project: projectName.meta({ description: 'ID of the project.' }),
  environment: environmentName.meta({ description: 'Environment of the project.' }),
  repository: z.string().min(1).max(gitNameMax).meta({ description: 'Repository that is built.' }),
  revision: z
    .string()
    .max(64)
    .default('')
    .meta({ description: 'Commit that is built; empty is the head of the branch.' }),
  branch: z.string().max(gitNameMax).default('').meta({ description: 'Branch that is built.' }),
  connectionRef: nameRef.optional().meta({ description: 'The git-host connection used to read a private repository.' }),
  dockerfile: z
    .string()
    .max(pathMax)
    .default('Dockerfile')
    .meta({ description: 'Path of the Dockerfile inside the context.' }),
  context: z.string().max(pathMax).default('.').meta({ description: 'Folder that is built.' }),
  waitForCI: z.boolean().default(false).meta({ description: 'Start only once the checks of the commit have passed.' }),
  trigger: z
    .enum(['manual', 'push', 'retry', 'pull request', 'kubectl'])
    .optional()
    .meta({ description: 'What asked for it.' }),
  attempt: z.string().max(objectNameMax).default('').meta({ description: 'The deploy that it was made for.' }),
  fresh: z
    .boolean()
    .default(false)
    .meta({ description: 'True builds even a commit that an earlier build has made an image of.' }),
  variables: z
    .array(variableName)
    .max(buildVariablesMax)
    .optional()
    .meta({ description: 'Variables of the service that it gets, as the release of its deploy has them.', ...asSet }),
  cache: z.boolean().default(true).meta({ description: 'Reuse layers of earlier builds.' }),
  cancelled: z.boolean().default(false).meta({ description: 'True asks to stop it.' }),
  registry: z
    .object({
      repository: z.string().max(imageMax).optional().meta({ description: 'Where the image is pushed.' }),
      credentialRef: nameRef.optional().meta({ description: 'Secret with the key .dockerconfigjson.' }),
    })
    .optional()
    .meta({ description: 'Registry of this build; the platform registry when left out.' }),
})

const ciCheck = z.object({
  name: z.string().max(255).meta({ description: 'Name of the check.' }),
  state: z.string().max(63).meta({ description: 'What the git host says of it.' }),
  url: z.string().max(2048).optional().meta({ description: 'Where to read more.' }),
})

export const buildStatus = z.object({
  ...reconciledStatus,
  phase: z
    .enum(['Pending', 'WaitingForCI', 'Running', 'Succeeded', 'Failed', 'Cancelled'])
    .optional()
    .meta({ description: 'How far it is.' }),
  message: z.string().optional().meta({ description: 'What an open build waits for.' }),
  jobRef: z
    .string()
    .optional()
    .meta({ description: 'Job that builds; kept until that Job and its Secret are removed.' }),
  image: z.string().optional().meta({ description: 'Image that was pushed.' }),
  imageDigest: z.string().optional().meta({ description: 'Digest of that image.' }),
  failureReason: z.string().optional().meta({ description: 'Why it failed.' }),
  startedAt: time.optional().meta({ description: 'When it began.', format: 'date-time' }),
  completedAt: time.optional().meta({ description: 'When it ended.', format: 'date-time' }),
  imageBytes: z.int().optional().meta({ description: 'Bytes of the layers of that image, as they are pushed.' }),
  steps: z.int().optional().meta({ description: 'Instructions of the Dockerfile.' }),
  cachedSteps: z.int().optional().meta({ description: 'How many of them were taken from the cache.' }),
  logRef: z.string().optional().meta({ description: 'ConfigMap that keeps what it wrote.' }),
  ciState: z.string().optional().meta({ description: 'What the checks say together.' }),
  ciChecks: z.array(ciCheck).max(shortListMax).optional().meta({ description: 'The checks one by one.' }),
  sourceRevision: z.string().optional().meta({ description: 'Commit that was built.' }),
  reused: z.boolean().optional().meta({ description: 'Whether the image of an earlier build was taken.' }),
})

export type BuildSpec = z.output<typeof buildSpec>
export type BuildStatus = z.output<typeof buildStatus>
export type Build = Resource<BuildSpec, BuildStatus>

export const buildKind = {
  type: resourceTypes.build,
  singular: 'svcbuild',
  shortNames: ['sbld'],
  description: 'A build: one image made from a git repository.',
  spec: buildSpec,
  status: buildStatus,
  statusSubresource: true,
  columns: [
    { name: 'App', path: '.spec.app' },
    { name: 'Phase', path: '.status.phase' },
    { name: 'Trigger', path: '.spec.trigger' },
    { name: 'Revision', path: '.status.sourceRevision', wide: true },
    { name: 'Image', path: '.status.image', wide: true },
    { name: 'Bytes', path: '.status.imageBytes', type: 'integer', wide: true },
    { name: 'Steps', path: '.status.steps', type: 'integer', wide: true },
    { name: 'Cached', path: '.status.cachedSteps', type: 'integer', wide: true },
    { name: 'Log', path: '.status.logRef', wide: true },
    { name: 'Age', path: '.metadata.creationTimestamp', type: 'date' },
  ],
  rules: [],
} satisfies KindDefinition
