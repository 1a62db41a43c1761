/** Reads of workflow runs: every operation that runs or ran, and what one did (docs/reference/runs.md). */
import { z } from 'zod'
import { anyText, matching, oneOf, runId, wholeNumber } from '../fields/fields.ts'
import { environmentNameMax, objectNameMax, runsDefault, runsMax } from '../limits.ts'
import { operation } from '../operation.ts'
import { runKinds, refusedCursor, runOutcomes, stepKinds } from './words.ts'

const tag = 'Cluster'

export const runView = z.object({
  id: z.string().meta({ description: 'The run ID of Temporal.' }),
  workflow: z.string().meta({ description: 'The workflow ID of Temporal; runs of one resource share it.' }),
  kind: z.string().meta({ description: 'The first part of the workflow ID, such as app.' }),
  resource: z.string(),
  service: z
    .string()
    .optional()
    .meta({ description: 'The service that a build is of; left out once neither the build nor its deploy is known.' }),
  project: z.string(),
  environment: z.string(),
  action: z
    .string()
    .meta({ description: 'The action that the run took last, such as deploy; empty before the first.' }),
  actor: z.string().meta({ description: 'Who asked for it; empty where the watch or the resync found work.' }),
  outcome: z.enum(runOutcomes),
  phase: z
    .string()
    .optional()
    .meta({ description: 'How it stands in a word of its own kind, such as Delivered of a delivery.' }),
  startedAt: z.string(),
  /** Left out while it runs. */
  endedAt: z.string().optional(),
})

const stepView = z.object({
  kind: z.enum(stepKinds),
  at: z.string(),
  /** Left out while it goes on, and of what takes no time. */
  endedAt: z.string().optional(),
  text: z.string(),
  /** What a piece of work came to, where it says that. */
  result: z.string().optional(),
  /** How often it was begun, where more than once. */
  attempts: z.number().optional(),
  /** Why it failed, or failed the last time. */
  error: z.string().optional(),
})

export const runDetailView = runView.extend({
  steps: z.array(stepView),
  /** Why the run failed or was stopped; left out otherwise. */
  failure: z.string().optional(),
  /** The run that this one goes on for; left out for the first. */
  continues: z.string().optional(),
  /** The run's page among those of Temporal, where the install says their address. */
  page: z.string().optional(),
  /** Whether the earliest steps are left out, since there are too many. */
  shortened: z.boolean(),
})

export const runOperations = {
  'runs.list': operation({
    summary: 'List the workflow runs of every operation, open ones first, then by their end',
    tag,
    access: 'observer',
    v1: { method: 'GET', path: '/runs' },
    dashboard: { method: 'GET', path: '/api/runs' },
    params: z.object({
      project: anyText('project', objectNameMax).optional(),
      environment: anyText('environment', environmentNameMax).optional(),
      kind: oneOf('kind', runKinds).optional(),
      resource: anyText('resource', objectNameMax).optional(),
      actor: anyText('actor', objectNameMax).optional(),
      outcome: oneOf('outcome', runOutcomes).optional(),
      limit: wholeNumber('limit', 1, runsMax).default(runsDefault),
      cursor: matching(/^[\w.-]*$/, refusedCursor, 4096).default(''),
    }),
    view: z.object({
      items: z.array(runView),
      /** Cursor of the next page; empty on the last one. */
      cursor: z.string(),
    }),
  }),
  'runs.get': operation({
    summary: 'Read what a workflow run did, step by step, and what it waits for',
    tag,
    access: 'observer',
    v1: { method: 'GET', path: '/runs/{run}' },
    dashboard: { method: 'GET', path: '/api/runs/{run}' },
    params: z.object({ run: runId() }),
    view: runDetailView,
  }),
} as const
