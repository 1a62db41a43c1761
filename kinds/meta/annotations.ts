/** The annotations and labels that svc reads and writes: intent beside the spec, and ownership of what was made. */

export const annotations = {
  /** Comma-separated mix of `created`, `settings`, `variables` (docs/reference/services.md#pending-changes). */
  pendingChanges: 'svc.dev/pending-changes',
  /** The spec as last deployed, as JSON (docs/reference/conventions.md#drafts-and-deploys). */
  lastDeployed: 'svc.dev/last-deployed',
  /** The accepted deploy that the record asks for, as JSON; see kinds/apps/attempt.ts. */
  attempt: 'svc.dev/attempt',
  /** A token that changes with each retry-provision. */
  retry: 'svc.dev/retry',
  /**
   * A token that changes when an edit of the secret variables begins and ends; goes with the deploy that takes them.
   */
  secretEdit: 'svc.dev/secret-edit',
  /**
   * On a record that is being deleted, with its own name as the value: its cloud is not asked any more; see
   * kinds/provision/abandon.ts.
   */
  abandon: 'svc.dev/abandon',
  /**
   * On a database that is being deleted, with its own name as the value: it goes without a last backup; see
   * kinds/databases/last-backup.ts.
   */
  withoutBackup: 'svc.dev/without-backup',
  /** On a backup: when its restore drill was asked for, RFC 3339; see kinds/backup-archives/drills.ts. */
  drill: 'svc.dev/drill',
  /** On a database: since when its backups are bad, and why; see kinds/databases/bad-backups.ts. */
  badBackups: 'svc.dev/bad-backups',
  /**
   * On a backup that came back with the records of the platform: what was stored; see kinds/backup-archives/stored.ts.
   */
  stored: 'svc.dev/stored',
  /** On what a restore of the platform made: the id of the backup that it came from. */
  restoredFrom: 'svc.dev/restored-from',
  /** On a record that a restore of the platform has not switched on yet: a draft until then. */
  restoring: 'svc.dev/restoring',
  /** Who asked for a backup: a user or a token. */
  askedBy: 'svc.dev/asked-by',
  displayName: 'svc.dev/display-name',
  /**
   * Environments of a project that were archived and may still hold something, comma-separated; see
   * kinds/projects/archived.ts.
   */
  archived: 'svc.dev/archived',
  /**
   * Templates that are being made in a project: the names of their resources, as JSON; see records/templates/plan.ts.
   */
  templates: 'svc.dev/templates',
  /** Gates provisioning of buckets only (docs/reference/object-stores.md#fields). */
  deployWorkflow: 'svc.dev/deploy-workflow',
  /** Digest of the manifest that was applied last, so that an unchanged object is not written again. */
  applied: 'svc.dev/applied',
  /**
   * On a platform Secret what the configuration is to follow, on the configuration what it has followed; see
   * kinds/platform/settings.ts.
   */
  setting: 'svc.dev/setting',
  /** When the values of a Secret were written, for the sweeps of those that no record came to use. */
  writtenAt: 'svc.dev/written-at',
  /** The intent of the record that a Job was made for: one that failed is made anew for another. */
  intent: 'svc.dev/intent',
  /**
   * Which nodes the project asked for when a Deployment was applied; see `choiceKey` in kinds/placement/node-choice.ts.
   */
  nodeChoice: 'svc.dev/node-choice',
  /** On a deployment record: its copies are confined as kinds/apps/confinement.ts says; older ones were not. */
  confined: 'svc.dev/confined',
  /** On a deployment record: who asked for the deploy and how; see `acceptedAs` in kinds/apps/attempt-history.ts. */
  acceptedAs: 'svc.dev/accepted-as',
  /** The release that a pod template belongs to; a new one rolls the pods. */
  release: 'svc.dev/release',
  /** uid of the Secret that a server was started with: another one starts it anew. */
  credentials: 'svc.dev/credentials',
  /** On the volume of a database: the version of the engine that made its data. */
  dataVersion: 'svc.dev/data-version',
  /** The whole deployed spec of a deployment record, as JSON. */
  releaseSpec: 'svc.dev/release-spec',
} as const

export const labels = {
  managedBy: 'svc.dev/managed-by',
  app: 'svc.dev/app',
  project: 'svc.dev/project',
  environment: 'svc.dev/environment',
  /** uid of the record that an object was made for: objects with another owner's uid are never touched. */
  owner: 'svc.dev/owner',
  /**
   * What a Secret or ConfigMap of the platform is for: `release`, `attempt-log`, `app-secrets`, `shared-variables`,
   * `webhook`, …
   */
  purpose: 'svc.dev/purpose',
  /** Name of the database that a login elsewhere is for. */
  database: 'svc.dev/database',
  /** ID of the webhook that a signing secret is for. */
  webhook: 'svc.dev/webhook',
} as const

/** The value of the managed-by label on everything svc makes. */
export const managedBySvc = 'svc'

export const finalizers = {
  app: 'svc.svc.dev/app',
  /** Of a build: holds the record until its Job is gone. */
  build: 'svc.svc.dev/build',
  project: 'svc.svc.dev/project',
  objectStore: 'svc.svc.dev/objectstore',
  cloudConnection: 'svc.svc.dev/cloudconnection',
  /** Only for logical databases on the shared server (docs/reference/logical-databases.md#on-the-shared-server). */
  logicalDatabase: 'svc.svc.dev/logicaldatabase',
  /** Of logical databases on a project's own server, whose Secret and Job go with them. */
  logicalConnection: 'svc.svc.dev/connection',
  database: 'svc.svc.dev/database',
  backupArchive: 'svc.svc.dev/backuparchive',
} as const
