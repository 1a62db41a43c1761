/** Puts the needs of the handlers together: one client, its caches, and the record stores on top of them. */
import type { ClusterClient } from '../../cluster/client.ts'
import { withForbiddenAsNotFound } from '../../cluster/forbidden-as-not-found.ts'
import type { Logger } from '../../cluster/objects/log.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { resourceTypes } from '../../kinds/meta/resource-types.ts'
import type { Aws } from '../../outside/aws/account.ts'
import type { GitHost } from '../../outside/githost/githost.ts'
import type { LogStore } from '../../outside/logs/log-store.ts'
import { createPrometheus } from '../../outside/metrics/prometheus.ts'
import type { WebhookSender } from '../../outside/webhooks/sender.ts'
import type { AuthSecret } from '../../records/secrets/auth-secret.ts'
import { createKnownDevices } from '../../records/auth/device-cookie.ts'
import { createDeviceSignIns } from '../../records/auth/device-sign-ins.ts'
import { forgetFirstPassword } from '../../records/auth/first-users.ts'
import { createLockout } from '../../records/auth/lockout.ts'
import { createUserAdmin } from '../../records/auth/manage-users.ts'
import { createPasswords } from '../../records/auth/passwords.ts'
import { createPollPace } from '../../records/auth/poll-pace.ts'
import { createSessions } from '../../records/auth/session-cookie.ts'
import { createStartLimit } from '../../records/auth/start-limit.ts'
import { createUsers } from '../../records/auth/users.ts'
import { recordStore, type RecordStore } from '../../records/store/record-store.ts'
import { createTokens } from '../../records/tokens/tokens.ts'
import { createTrustedSecrets } from '../../records/secrets/trusted-secrets.ts'
import type { Caches } from '../context/caches.ts'
import type { Redeliveries } from '../../temporal/client/redeliveries.ts'
import type { Runs } from '../../temporal/client/runs.ts'
import { createFullVolumes } from '../context/full-volumes.ts'
import type { Needs, Pushes, ScheduleStarts, Wakes } from '../context/needs.ts'
import { createWrites, type Records } from '../context/writes.ts'
import { createPodFollows } from '../logs/pod-follows.ts'

export interface Connection {
  readonly client: ClusterClient
  readonly caches: Caches
  readonly wakes: Wakes
  readonly pushes: Pushes
  readonly runs: Runs
  readonly redeliveries: Redeliveries
  readonly scheduleStarts: ScheduleStarts
  readonly webhooks: WebhookSender
  /** The metrics store, unless the platform's configuration has another one. */
  readonly prometheusUrl: string | undefined
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  readonly log: Logger
  readonly logStore: LogStore | undefined
  readonly logStoreHint: string
  readonly aws: Aws
  readonly gitHost: GitHost
  readonly functionEndpoint: Needs['functionEndpoint']
}

/** The store of the Secrets for signing in is returned apart: only the start of the process needs it. */
export function createNeeds(connection: Connection): { needs: Needs; authStore: RecordStore<AuthSecret> } {
  const { prometheusUrl, ...given } = connection
  const rest = { ...given, client: withForbiddenAsNotFound(given.client) }
  const { client, caches, clock, log } = rest
  const authStore = recordStore<AuthSecret>(client, caches.authSecrets, coreTypes.secret)
  const trusted = createTrustedSecrets(authStore, clock)
  const passwords = createPasswords()
  const users = createUsers(authStore, trusted, passwords)
  const records: Records = {
    projects: recordStore(client, caches.projects, resourceTypes.project),
    apps: recordStore(client, caches.apps, resourceTypes.app),
    deployments: recordStore(client, caches.deployments, resourceTypes.deployment),
    databases: recordStore(client, caches.databases, resourceTypes.database),
    logicalDatabases: recordStore(client, caches.logicalDatabases, resourceTypes.logicalDatabase),
    objectStores: recordStore(client, caches.objectStores, resourceTypes.objectStore),
    backupArchives: recordStore(client, caches.backupArchives, resourceTypes.backupArchive),
    builds: recordStore(client, caches.builds, resourceTypes.build),
    cloudConnections: recordStore(client, caches.cloudConnections, resourceTypes.cloudConnection),
  }
  const metrics = createPrometheus({ address: () => configuredStore(caches) ?? prometheusUrl })
  const needs: Needs = {
    ...rest,
    records,
    writes: createWrites({ client, caches, records, clock }),
    signIn: {
      users,
      userAdmin: createUserAdmin({ store: authStore, trusted, passwords }),
      passwords,
      sessions: createSessions(users, clock),
      lockout: createLockout(),
      knownDevices: createKnownDevices(users, clock),
      devices: createDeviceSignIns(authStore, trusted, clock),
      deviceStarts: createStartLimit(),
      signedIn: (username) => forgetFirstPassword(authStore, username),
      pollPace: createPollPace(clock),
    },
    tokens: createTokens({ client, store: authStore, trusted, idKey: users.sessionKey, clock, log }),
    podFollows: createPodFollows(client),
    metrics,
    fullVolumes: createFullVolumes({ metrics, clock, log }),
  }
  return { needs, authStore }
}

/**
 * The address in the configuration takes precedence over the environment variable and the default
 * (docs/reference/platform.md#configuration).
 */
function configuredStore({ platformConfig }: Caches): string | undefined {
  const url = platformConfig.list()[0]?.spec.prometheusURL
  return url === undefined || url === '' ? undefined : url
}
