/** Making a service, its number of copies, and whether they sleep. */
import { z } from 'zod'
import { scaleApp } from '../../client/apps/changes.ts'
import { waitForSleepCheck } from '../../client/wait/sleep-when-idle.ts'
import { defined } from '../../contract/defined.ts'
import { wholeNumber } from '../../contract/fields/fields.ts'
import { runtimes } from '../../contract/fields/words.ts'
import { idleSeconds, replicas, servicePort } from '../../contract/limits.ts'
import { operations } from '../../contract/operations.ts'
import { refusals } from '../../contract/problem.ts'
import { appName, environmentName, projectId } from '../tool/arguments.ts'
import { defineTool } from '../tool/tool.ts'

const copies = () => wholeNumber('replicas', replicas.min, replicas.max)

export const settingTools = [
  defineTool({
    name: 'scale_app',
    title: 'Set the number of copies',
    description:
      'Sets how many copies of a service run, at once and without a deploy; 0 stops it and keeps everything else. ' +
      'While CPU autoscaling is on, that decides instead. Not for a restart: use deploy_app.',
    effect: 'idempotent-change',
    operations: ['apps.scale'],
    input: z.strictObject({
      app: appName(),
      replicas: copies().describe('Copies that should run.'),
    }),
    output: z.object({ app: z.string(), replicas: z.number() }),
    run: async ({ app, replicas: wanted }, { client, signal }) => {
      await scaleApp(client, app, { replicas: wanted }, signal)
      return { app, replicas: wanted }
    },
  }),
  defineTool({
    name: 'set_sleep_when_idle',
    title: 'Let a service sleep when idle',
    description:
      'Lets a service go down to no copies after `idle_seconds` without a request, and wake at the next one; ' +
      'enabled=false keeps it always on. Applies at once. Works only for a service with a public host, without CPU ' +
      'autoscaling, where the serverless add-on is installed: `active` says whether it works and `message` why not. ' +
      'Not for services that work without requests, such as queue workers.',
    effect: 'idempotent-change',
    operations: ['apps.update', 'apps.status'],
    input: z.strictObject({
      app: appName(),
      enabled: z.boolean().default(true).describe('false: never sleep.'),
      idle_seconds: wholeNumber('idle_seconds', idleSeconds.min, idleSeconds.max, refusals.idleSeconds)
        .default(idleSeconds.default)
        .describe('Seconds without a request until it sleeps.'),
    }),
    output: z.object({
      app: z.string(),
      enabled: z.boolean(),
      idle_seconds: z.number().optional(),
      active: z.boolean().optional().describe('Absent while the operator has not said yet.'),
      message: z.string().optional(),
    }),
    run: async ({ app, enabled, idle_seconds: seconds }, { client, signal, now, sleep }) => {
      const wanted = enabled ? { scaleToZero: true as const, idleSeconds: seconds } : { scaleToZero: false as const }
      await scaleApp(client, app, { sleep: wanted }, signal)
      if (!enabled) return { app, enabled }
      const { active, message } = (await waitForSleepCheck({ client, app, signal, now, sleep })) ?? {}
      return {
        app,
        enabled,
        idle_seconds: seconds,
        ...defined({ active, message }),
      }
    },
  }),
  defineTool({
    name: 'create_app',
    title: 'Create a service',
    description:
      'Creates a service in a project and environment from a container image (`image`), a git repository or a function ' +
      '(`runtime` and `code`). It is a draft: set its variables, then deploy_app; deploy=true deploys it at once, and ' +
      'app_status shows how that goes. Returns the name. Not for changing a service that exists.',
    effect: 'change',
    operations: ['apps.create'],
    input: z.strictObject({
      project: projectId(),
      environment: environmentName(),
      name: appName()
        .describe('Name of the service: lowercase letters, digits, dashes. Picked if left out.')
        .optional(),
      image: z.string().optional().describe('Container image, such as nginx:1.29.'),
      repository: z.string().optional().describe('Git repository: owner/name or an address.'),
      branch: z.string().optional().describe('Branch to build.'),
      build_variables: z
        .array(z.string())
        .optional()
        .describe('Names of variables of the service that its builds get; set them before the first deploy.'),
      runtime: z.enum(runtimes).optional().describe('Makes it a function in this runtime.'),
      code: z.string().optional().describe('Code of the function.'),
      port: wholeNumber('port', servicePort.min, servicePort.max)
        .optional()
        .describe(`Port it listens on; ${servicePort.default} if left out.`),
      host: z.string().optional().describe('Public host name.'),
      replicas: copies().optional().describe('Copies; 1 if left out.'),
      cpu: z.string().optional().describe('CPU of a copy, such as 250m.'),
      memory: z.string().optional().describe('Memory of a copy, such as 512Mi.'),
      volume_path: z
        .string()
        .optional()
        .describe('Path of a volume whose files outlast deploys, such as /data; such a service runs one copy.'),
      volume_size: z.string().optional().describe('Size of the volume; 10Gi if left out.'),
      deploy: z.boolean().default(false).describe('Deploy at once instead of saving a draft.'),
    }),
    output: operations['apps.create'].view,
    run: async (args, { client, signal }) => {
      const {
        deploy,
        build_variables: buildVariables,
        volume_path: volumePath,
        volume_size: volumeSize,
        ...fields
      } = args
      const source = fields.runtime !== undefined ? 'function' : fields.repository !== undefined ? 'git' : 'image'
      const named = defined({ buildVariables, volumePath, volumeSize })
      return await client.call(
        'apps.create',
        { ...fields, source, ...named, ...(deploy ? { deploy: true } : {}) },
        { signal },
      )
    },
  }),
]
