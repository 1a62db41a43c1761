/** The annotations and labels that svc reads and writes: intent beside the spec, and the owner of each object. */

export const annotations = {
  /** Comma-separated mix of `created`, `settings`, `variables` (docs/reference/services.md#pending-changes). */
  pendingChanges: 'svc.dev/pending-changes',
  /** The spec as last deployed, as JSON (docs/reference/conventions.md#drafts-and-deploys). */
  lastDeployed: 'svc.dev/last-deployed',
  /** The accepted deploy of the record, as JSON; see kinds/apps/deploy/attempt.ts. */
  attempt: 'svc.dev/attempt',
  /** A token that changes with each retry-provision. */
  retry: 'svc.dev/retry',
  /**
   * A token that changes when an edit of the secret variables begins and ends; the deploy that takes the values removes
   * it.
   */
  secretEdit: 'svc.dev/secret-edit',
  /**
   * On a record that is being deleted, with its own name as the value: it is removed without a call to its cloud; see
   * kinds/provision/abandon.ts.
   */
  abandon: 'svc.dev/abandon',
  /**
   * On a database that is being deleted, with its own name as the value: it is removed without a last backup; see
   * kinds/databases/last-backup.ts.
   */
  withoutBackup: 'svc.dev/without-backup',
  /** On a backup: when a caller asked for its restore drill, RFC 3339; see kinds/backup-archives/drills.ts. */
  drill: 'svc.dev/drill',
  /** On a database: since when its backups are bad, and why; see kinds/databases/bad-backups.ts. */
  badBackups: 'svc.dev/bad-backups',
  /**
   * On a backup whose record a restore of the platform made: its status on the earlier cluster; see
   * kinds/backup-archives/stored.ts.
   */
  stored: 'svc.dev/stored',
  /** On a record that a restore of the platform made: the id of the platform backup. */
  restoredFrom: 'svc.dev/restored-from',
  /** On a record that a restore of the platform has not enabled yet: it is a draft until then. */
  restoring: 'svc.dev/restoring',
  /** Who asked for a backup: a user or a token. */
  askedBy: 'svc.dev/asked-by',
  /** Who asked for the deletion of a record, as JSON; see kinds/provision/deletion-request.ts. */
  deletion: 'svc.dev/deletion',
  /**
   * Who asked for what takes effect without a deploy, such as environments, the domain, a live setting and a retry, as
   * JSON; see kinds/provision/edited-by.ts.
   */
  editedBy: 'svc.dev/edited-by',
  displayName: 'svc.dev/display-name',
  /** On a project: the display name that it is about to get, as JSON; see records/projects/claim-name.ts. */
  naming: 'svc.dev/naming',
  /**
   * Archived environments of a project whose namespaces may still hold something, comma-separated; see
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
   * On a platform Secret: what the configuration has to follow. On the configuration: what it has followed; see
   * kinds/platform/settings.ts.
   */
  setting: 'svc.dev/setting',
  /** When the values of a Secret were written: a sweep removes old values that no record uses. */
  writtenAt: 'svc.dev/written-at',
  /** On a Job: the intent that it was made for. A failed Job is made anew once the intent of its record differs. */
  intent: 'svc.dev/intent',
  /**
   * On a Deployment: the nodes its project asked for when it was applied; see `choiceKey` in
   * kinds/placement/node-choice.ts.
   */
  nodeChoice: 'svc.dev/node-choice',
  /**
   * On a deployment record: whether its copies are confined (kinds/apps/manifests/confinement.ts); absent on older
   * records.
   */
  confined: 'svc.dev/confined',
  /** On a deployment record: the operation and who asked for it (`acceptedAs` in records/store). */
  acceptedAs: 'svc.dev/accepted-as',
  /** The release that a pod template belongs to; another value makes Kubernetes replace the pods. */
  release: 'svc.dev/release',
  /** Uid of the Secret that a server was started with; another Secret restarts the server. */
  credentials: 'svc.dev/credentials',
  /** On the volume of a database: the version of the engine that made its data. */
  dataVersion: 'svc.dev/data-version',
  /**
   * On a volume, or a database of an operator: it was just made, and its record was not read since. Nothing uses it.
   */
  unused: 'svc.dev/unused',
  /** The whole deployed spec of a deployment record, as JSON. */
  releaseSpec: 'svc.dev/release-spec',
} as const

export const labels = {
  managedBy: 'svc.dev/managed-by',
  app: 'svc.dev/app',
  project: 'svc.dev/project',
  environment: 'svc.dev/environment',
  /** Uid of the record that an object was made for: svc never touches an object with another owner's uid. */
  owner: 'svc.dev/owner',
  /**
   * The purpose of a Secret or ConfigMap of the platform: `release`, `attempt-log`, `app-secrets`, `shared-variables`,
   * `webhook`, …
   */
  purpose: 'svc.dev/purpose',
  /** Name of the database that a login at a cloud is for. */
  database: 'svc.dev/database',
  /** ID of the webhook that a signing secret is for. */
  webhook: 'svc.dev/webhook',
} as const

/** The value of the managed-by label on everything svc makes. */
export const managedBySvc = 'svc'

export const finalizers = {
  app: 'svc.svc.dev/app',
  /** The finalizer of a build: holds the record until its Job is gone. */
  build: 'svc.svc.dev/build',
  project: 'svc.svc.dev/project',
  objectStore: 'svc.svc.dev/objectstore',
  cloudConnection: 'svc.svc.dev/cloudconnection',
  /** Only on logical databases on the shared server (docs/reference/logical-databases.md#on-the-shared-server). */
  logicalDatabase: 'svc.svc.dev/logicaldatabase',
  /** On logical databases on a project's own server: holds the record until its Secret and Job are gone. */
  logicalConnection: 'svc.svc.dev/connection',
  database: 'svc.svc.dev/database',
  backupArchive: 'svc.svc.dev/backuparchive',
} as const
