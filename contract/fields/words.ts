/** Words that both callers and records use, each list written once. */

/** What runs the code of a function. */
export const runtimes = ['bun', 'node', 'python'] as const

/** What the node keeps in every container: no volume of a service is mounted there. */
export const keptPaths = ['/proc', '/sys', '/dev', '/etc', '/run', '/var/run'] as const

/** The sections of a deploy's log that its build writes, in the order of the work. */
export const buildSections: readonly string[] = ['ci', 'clone', 'build', 'push']

/** Whether a section of the log of a deploy is of its build. */
export const isBuildSection = (section: string): boolean => buildSections.includes(section)

/** Whether a build of this phase is over. */
export const isBuildOver = (phase: string): boolean => ['Succeeded', 'Failed', 'Cancelled'].includes(phase)

/** What calls a function. */
export const functionModes = ['http', 'event'] as const

/** How a function may be called by hand. */
export const functionMethods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

export const databaseEngines = ['postgres', 'mysql', 'redis', 'sqlite'] as const
/** Engines with several databases and logins on one server, which may also be a server elsewhere. */
export const sqlEngines = ['postgres', 'mysql'] as const

/** Where a database or the server of a bucket runs: on this cluster, or outside of it. */
export const placements = ['InCluster', 'External'] as const
/** Whose buckets a store has: those of the cluster's object server, or of a cloud account. */
export const storeEngines = ['Local', 'Remote'] as const

/** What a backup may be of. */
export const archiveEngines = [...databaseEngines, 'bucket'] as const

/** How a connection to a server elsewhere is secured: the modes of libpq. */
export const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'] as const

/** What a backup was taken for: a person, its time, a deletion that waits for it, a new version that does. */
export const backupTriggers = ['Manual', 'Schedule', 'Deletion', 'Upgrade'] as const

/** The state of a service, project, database or bucket; deleting > draft > failed > pending > ready. */
export const resourceStates = ['ready', 'pending', 'failed', 'draft', 'deleting'] as const
export type ResourceState = (typeof resourceStates)[number]

/** How far the attempt of a deploy is. */
export const attemptPhases = ['Running', 'Succeeded', 'Failed'] as const
export type AttemptPhase = (typeof attemptPhases)[number]

/** How a planned run of a function ended, or why it did not begin. */
export const runPhases = ['Succeeded', 'Failed', 'Unknown', 'Skipped', 'Missed'] as const
export type RunPhase = (typeof runPhases)[number]

/** What is saved and not deployed, in the order in which answers have it. */
export const pendingChanges = ['created', 'settings', 'variables'] as const
export type PendingChange = (typeof pendingChanges)[number]

/** What a user may do who signs in with a password. */
export const userRoles = ['admin', 'viewer'] as const
/** What a token may do that is of no project; one of a project has the role `project`. */
export const workspaceRoles = ['admin', 'observer', 'viewer'] as const

/** What a webhook gets that names no event (docs/reference/projects.md#webhooks). */
export const deployEvents = ['deployment.started', 'deployment.succeeded', 'deployment.failed'] as const

/** All events of webhooks; those beyond deploys are sent only to webhooks that name them. */
export const webhookEvents = [...deployEvents, 'backup.failed'] as const

export type DeployEvent = (typeof deployEvents)[number]
export type WebhookEvent = (typeof webhookEvents)[number]
