/** What callers read about services: status, deployments, logs, pods, variables, the pending state. */
import { z } from 'zod'
import { okView } from '../operation.ts'
import { attemptPhases, pendingChanges, resourceStates, runPhases } from '../fields/words.ts'
import { fieldChange } from '../views/pending.ts'

const time = z.string()

/** `GET /apps/{name}/status`; `build` and `lastAttempt` are left out when none exists. */
export const appStatusView = z.object({
  name: z.string(),
  project: z.string(),
  environment: z.string(),
  state: z.enum(resourceStates),
  message: z.string(),
  url: z.string(),
  pendingChanges: z.number(),
  ready: z.boolean(),
  replicas: z.object({ desired: z.number(), ready: z.number(), available: z.number() }),
  sleeping: z.literal(true).optional(),
  scaleToZero: z
    .object({
      idleSeconds: z.number(),
      maxReplicas: z.number(),
      active: z.boolean().optional(),
      message: z.string().optional(),
    })
    .optional(),
  build: z
    .object({
      name: z.string(),
      phase: z.string(),
      failureReason: z.string().optional(),
      sourceRevision: z.string().optional(),
      ciState: z.string().optional(),
      startedAt: time.optional(),
      completedAt: time.optional(),
    })
    .optional(),
  lastAttempt: z
    .object({
      id: z.string(),
      phase: z.enum(attemptPhases),
      startedAt: time,
      completedAt: time.optional(),
      summary: z.string().optional(),
      errors: z.array(z.string()).optional(),
    })
    .optional(),
})

/**
 * The schedules of a function: as they run, or as they are saved where they start with the next deploy. Runs are newest
 * first; `times` of one stand for several in a row that did not begin.
 */
export const schedulesView = z.object({
  items: z.array(
    z.object({
      name: z.string(),
      schedule: z.string(),
      path: z.string(),
      state: z.enum(['active', 'starts', 'changes', 'ends']),
      next: z.array(time),
      failures: z.number(),
      runs: z.array(
        z.object({
          plannedAt: time,
          phase: z.enum(runPhases),
          startedAt: time.optional(),
          ms: z.number().optional(),
          status: z.number().optional(),
          message: z.string(),
          times: z.number().optional(),
          until: time.optional(),
        }),
      ),
    }),
  ),
})

/** A run by hand: the runs of its schedule have it under this planned time once it has ended. */
export const scheduleBegunView = okView.extend({ plannedAt: time.optional() })

/**
 * One deployment; `id` is what `rollback` takes as its revision. `phase` and `actor` are the same for every deploy;
 * `outcome` and `requestedBy` say how this one ended, and who asked for it
 * (docs/reference/deployments.md#deployment-record).
 */
export const deploymentItem = z.object({
  id: z.string(),
  phase: z.string(),
  /** Absent where the log of the attempt has no end. */
  outcome: z.enum(attemptPhases).optional(),
  /** Why it failed, such as `superseded by` the one that came after it; not for viewers. */
  reason: z.string().optional(),
  /** A user name, or `token:` with the ID of a token; not for viewers. */
  requestedBy: z.string().optional(),
  image: z.string(),
  commit: z.string(),
  trigger: z.string(),
  actor: z.string(),
  changeTitle: z.string(),
  createdAt: time,
  startedAt: time.optional(),
  completedAt: time.optional(),
})

export const deploymentsView = z.object({ items: z.array(deploymentItem) })

export const deploymentLogsView = z.object({
  id: z.string(),
  sections: z.array(z.object({ id: z.string(), title: z.string(), lines: z.array(z.string()) })),
})

/** Newest first; what is not known of a build is left out. `reused` took the image of an earlier build. */
export const buildsView = z.object({
  items: z.array(
    z.object({
      name: z.string(),
      deployment: z.string().meta({ description: 'Id of the deployment that it is made for.' }),
      phase: z.string(),
      trigger: z.string().optional(),
      branch: z.string(),
      commit: z.string().optional(),
      imageBytes: z.number().optional(),
      steps: z.number().optional(),
      cachedSteps: z.number().optional(),
      reused: z.boolean(),
      startedAt: time.optional(),
      completedAt: time.optional(),
      message: z.string().meta({ description: 'What it waits for, or why it failed.' }),
    }),
  ),
})

/** One line of the log of a deployment; `t` is empty where its time is not known. */
export const deploymentLogLine = z.object({ section: z.string(), title: z.string(), t: z.string(), line: z.string() })

/** What is not deployed yet, and the words a page shows beside its deploy button. */
export const pendingView = okView.extend({
  pending: z.array(z.enum(pendingChanges)),
  deployed: z.literal(true).optional(),
  title: z.string(),
  detail: z.string(),
  button: z.string(),
})

export const createdView = okView.extend({
  name: z.string(),
  kind: z.literal('apps'),
  deployed: z.literal(true).optional(),
})

export const configView = okView.extend({
  config: z.record(z.string(), z.string()),
  pending: z.array(z.string()),
})

/** Names only: a stored secret is never shown again. */
export const secretsView = okView.extend({ secrets: z.array(z.string()), pending: z.array(z.string()) })

export const variablesView = z.object({
  secrets: z.array(z.string()),
  sharedVariableRefs: z.array(z.string()),
  env: z.array(z.object({ name: z.string(), kind: z.string() })),
  config: z.record(z.string(), z.string()),
})

/**
 * What one deployment deployed, against another one or what runs now: `goesBack` where a rollback to it would change
 * the field. Values of secret variables are not compared.
 */
export const deploymentChangesView = z.object({
  id: z.string(),
  from: z.string().meta({ description: 'Empty for what runs now.' }),
  changes: z.array(fieldChange.extend({ goesBack: z.boolean() })),
})

/** `lastEnd`: how the container ended before it was started again; `message` says what is wrong with the copy now. */
export const copiesView = z.object({
  items: z.array(
    z.object({
      name: z.string(),
      deployment: z.string().meta({ description: 'Id of the deployment that it is a copy of.' }),
      node: z.string(),
      phase: z.string(),
      ready: z.boolean(),
      startedAt: time.optional(),
      restarts: z.number(),
      message: z.string(),
      lastEnd: z.object({ reason: z.string(), exitCode: z.number().optional(), at: time.optional() }).optional(),
    }),
  ),
})

export const runtimeView = z.object({
  pods: z.array(z.object({ name: z.string(), phase: z.string(), container: z.string() })),
})

/** `configured`: there is a secret, so deliveries are taken; without `reveal` it is not shown. */
export const gitWebhookView = z.object({
  url: z.string(),
  configured: z.boolean(),
  secret: z.string().optional(),
  revealed: z.literal(true).optional(),
})

export const gitWebhookSecretView = okView.extend({ url: z.string(), secret: z.string() })

/** The public half alone: the private one is shown to no caller. `hosts` has a host and its fingerprint each. */
export const deployKeyView = z.object({
  configured: z.boolean(),
  publicKey: z.string().optional(),
  fingerprint: z.string().optional(),
  hosts: z.array(z.string()),
})

export const deployKeyMadeView = okView.extend({ publicKey: z.string(), fingerprint: z.string() })

/** What a function answered: of its headers the content type alone, and `truncated` where it said more than is read. */
export const invokedView = z.object({
  status: z.number(),
  contentType: z.string(),
  body: z.string(),
  truncated: z.boolean(),
})
