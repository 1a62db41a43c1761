/** The words of runs, apart from the schemas so that the dashboard's page loads none. */

/**
 * What a run works on, the first part of its workflow ID: records, pushes of the git host, pull requests, schedules of
 * functions, deliveries to webhooks.
 */
export const runKinds = [
  'app',
  'project',
  'database',
  'logical-database',
  'object-store',
  'build',
  'backup',
  'cloud-connection',
  'platform',
  'githost',
  'pr',
  'function',
  'webhook',
] as const
export type RunKind = (typeof runKinds)[number]

/** `ended` when nothing was left to do; `stopped` when it was terminated or cancelled, or it ran out of time. */
export const runOutcomes = ['running', 'ended', 'failed', 'stopped'] as const

/** `woken`: something asked for a look; `did`: a piece of work; `waited`: for what `text` says. */
export const stepKinds = ['woken', 'did', 'waited'] as const

export const refusedCursor = 'cursor must be that of the page before'
