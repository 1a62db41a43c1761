/** For each field that names a Secret: a record that tries to reach a Secret which does not belong to it. */
import { annotations, labels } from '../../kinds/meta/annotations.ts'
import { appSpec } from '../../kinds/apps/kind.ts'
import { apiVersion, systemNamespace } from '../../kinds/meta/group.ts'
import { resourceTypes, type ResourceTypeName } from '../../kinds/meta/resource-types.ts'
import { type Foreigner, judged, mark } from './secret-world.ts'

/** What the caller has: a project, the Secret it wants to reach, and the address where the content would be sent. */
export interface Try {
  what: Foreigner
  project: string
  /** Another project of the caller's, whose own record names Secrets. */
  naming: string
  /** A service whose history is pruned. */
  kept: string
  /** Name of the Secret. */
  foreign: string
  /** A cloud connection of another project. */
  connection: string
  port: number
  /** For names that may be used only once. */
  id: string
}

export interface Attempted {
  apiVersion: string
  kind: string
  metadata: { name: string; namespace: string; labels?: Record<string, string>; annotations?: Record<string, string> }
  spec: object
  status?: object
}

/** Makes the record for one Secret. */
interface Maker {
  (wanted: Try): Attempted
  /** The Secrets that it is made for. */
  readonly meets: readonly Foreigner[]
}

const meets = (rule: keyof typeof judged, make: (wanted: Try) => Attempted): Maker =>
  Object.assign(make, { meets: judged[rule] })

const record = (
  kind: ResourceTypeName,
  name: string,
  spec: object,
  more: Omit<Attempted['metadata'], 'name' | 'namespace'> = {},
): Attempted => ({
  apiVersion,
  kind: resourceTypes[kind].kind,
  metadata: { name, namespace: systemNamespace, ...more },
  spec,
})

const place = ({ project }: Try) => ({ project, environment: 'production' })
const image = { image: { image: 'svc/hello:1' } }
const service = (name: string, wanted: Try, spec: object): Attempted =>
  record('app', `${name}-${wanted.id}`, { ...place(wanted), source: image, deploy: { enabled: true }, ...spec })

const connection = meets('cloudKeys', ({ foreign, project, id }) =>
  record('cloudConnection', `conn-${id}`, { provider: 'AWS', project, secretRef: { name: foreign } }),
)
const planetScale = meets('cloudKeys', ({ foreign, project, id }) =>
  record('cloudConnection', `planet-${id}`, { provider: 'PlanetScale', project, secretRef: { name: foreign } }),
)
const inNamespace = meets('handMade', (wanted) => {
  const ref = { name: wanted.foreign }
  return service('env', wanted, {
    source: { image: { image: 'svc/hello:1', pullSecret: wanted.foreign } },
    env: [{ name: 'TAKEN', valueFrom: { secretKeyRef: { ...ref, key: 'password' } } }],
    envFrom: [{ secretRef: ref }],
  })
})
const fromGit = meets('handMade', (wanted) =>
  record('app', `git-${wanted.id}`, {
    ...place(wanted),
    source: { git: { repository: 'https://example.com/x.git', connectionRef: { name: wanted.foreign } } },
  }),
)
/** Builds, and pushes with a login. */
const pushing = meets('handMade', (wanted) =>
  service('pushing', wanted, {
    source: { git: { repository: 'https://example.com/x.git' } },
    build: { registry: { repository: 'example.com/x', credentialRef: { name: wanted.foreign } } },
  }),
)
/** One for all, since there is one configuration of the platform: it builds what names no registry. */
const pushingAnywhere = meets('platform', (wanted) =>
  service(
    'pushing-anywhere',
    { ...wanted, id: mark },
    { source: { git: { repository: 'https://example.com/x.git' } } },
  ),
)
const external = meets('handMadeOrOwn', (wanted) =>
  record('database', `ext-${wanted.id}`, {
    ...place(wanted),
    engine: 'postgres',
    placement: 'External',
    mode: 'Connect',
    externalHost: '127.0.0.1',
    externalPort: wanted.port,
    externalUsername: 'somebody',
    externalPasswordRef: { name: wanted.foreign, key: 'password' },
    deploy: { enabled: true },
  }),
)
const elsewhere = meets('connection', (wanted) =>
  record('database', `else-${wanted.id}`, {
    ...place(wanted),
    engine: 'mysql',
    placement: 'External',
    provider: 'PlanetScale',
    connectionRef: { name: wanted.connection },
    deploy: { enabled: true },
  }),
)
const remote = meets('own', (wanted) =>
  record('objectStore', `store-${wanted.id}`, {
    ...place(wanted),
    engine: 'Remote',
    connectionRef: { name: wanted.connection },
    createBucket: true,
    buckets: [`b-${wanted.id}`],
  }),
)
const logical = meets('own', (wanted) =>
  record('logicalDatabase', `logical-${wanted.id}`, {
    ...place(wanted),
    serverRef: `ext-${wanted.id}`,
    databaseName: 'shop',
  }),
)
const deployment = meets('release', (wanted) =>
  // Named like the Secret: the objects that are pruned with a record are found by its name.
  record(
    'deployment',
    wanted.foreign,
    {
      ...place(wanted),
      app: wanted.kept,
      image: 'svc/hello:1',
      buildRef: wanted.foreign,
      eventLogRef: wanted.foreign,
      rollbackRef: wanted.foreign,
    },
    { labels: { [labels.app]: wanted.kept }, annotations: { [annotations.release]: wanted.foreign } },
  ),
)
const build = meets('handMade', (wanted) =>
  record('build', `build-${wanted.id}`, {
    ...place(wanted),
    app: `env-${wanted.id}`,
    repository: 'https://example.com/x.git',
    revision: 'main',
    connectionRef: { name: wanted.foreign },
    registry: { repository: 'example.com/x', credentialRef: { name: wanted.foreign } },
  }),
)
const archive = meets('cloudKeys', (wanted) =>
  record('backupArchive', `archive-${wanted.id}`, {
    ...place(wanted),
    database: 'db',
    engine: 'postgres',
    bucket: 'backups',
    connectionRef: { name: wanted.foreign },
  }),
)
const platform = meets('platform', ({ foreign }) =>
  record('platformConfig', 'platform', {
    cloudflareConnectionRef: { name: foreign },
    githubAppRef: { name: foreign },
    registry: { repository: 'example.com/x', credentialRef: { name: foreign } },
  }),
)
const theirProject = meets('shared', (wanted) =>
  record('project', wanted.naming, {
    displayName: wanted.naming,
    environments: ['production'],
    sharedVariables: [{ name: 'TAKEN', environment: '', secretRef: { name: wanted.foreign, key: 'password' } }],
    webhooks: [{ id: 'planted', url: `http://127.0.0.1:${wanted.port}/hook`, since: '2020-01-01T00:00:00Z' }],
    backupStorage: { connectionRef: { name: wanted.connection }, bucket: 'backups' },
  }),
)

/** A service that names no Secret: the name of the Secret that svc makes for it is taken. */
export const ownName = meets('variables', (wanted) => service('own', wanted, {}))

/** By the path that test/rules/secret-paths.ts finds; a string gives the reason why the field leads to no Secret. */
export const cases: Readonly<Record<string, readonly Maker[] | string>> = {
  'app.spec.build.registry.credentialRef': [pushing],
  'app.spec.envFrom[].configMapRef': 'names a ConfigMap in the namespace of the service',
  'app.spec.envFrom[].secretRef': [inNamespace],
  'app.spec.env[].valueFrom.secretKeyRef': [inNamespace],
  'app.spec.secretRef': [
    meets('variables', (wanted) => service('vars', wanted, { secretRef: { name: wanted.foreign } })),
  ],
  'app.spec.source.git.connectionRef': [fromGit],
  'app.spec.source.image.pullSecret': [inNamespace],
  'app.status.release': [
    meets('release', (wanted) => ({ ...service('ran', wanted, {}), status: { release: wanted.foreign } })),
  ],
  'backupArchive.spec.connectionRef': [archive],
  'build.spec.connectionRef': [build],
  'build.spec.registry.credentialRef': [build],
  'build.status.jobRef': 'names a Job',
  'build.status.logRef': 'names a ConfigMap, which nothing reads by it',
  'cloudConnection.spec.secretRef': [connection, planetScale],
  'cloudConnection.status.checkedKeys': 'is a version of a Secret, not a name',
  'database.spec.connectionRef': [elsewhere],
  'database.spec.externalPasswordRef': [external],
  'database.status.connectionSecret': [
    meets('handMadeOrOwn', (wanted) => ({
      ...external(wanted),
      status: { connectionSecret: wanted.foreign, targetNamespace: systemNamespace },
    })),
  ],
  'deployment.spec.buildRef': [deployment],
  'deployment.spec.eventLogRef': [deployment],
  'deployment.spec.rollbackRef': [deployment],
  'logicalDatabase.spec.serverRef': [logical],
  'logicalDatabase.status.connectionSecret': [
    meets('own', (wanted) => ({ ...logical(wanted), status: { connectionSecret: wanted.foreign } })),
  ],
  'objectStore.spec.connectionRef': [remote],
  'objectStore.status.connectionSecret': [
    meets('own', (wanted) => ({ ...remote(wanted), status: { connectionSecret: wanted.foreign } })),
  ],
  'platformConfig.spec.cloudflareConnectionRef': [platform],
  'platformConfig.spec.defaultClusterRef': 'names a SvcCluster',
  'platformConfig.spec.githubAppRef': [platform],
  'platformConfig.spec.registry.credentialRef': [platform, pushingAnywhere],
  'project.spec.backupStorage.connectionRef': [theirProject],
  'project.spec.clusterRef': 'names a SvcCluster',
  'project.spec.sharedVariables[].secretRef': [
    theirProject,
    meets('shared', (wanted) => service('shared', { ...wanted, project: wanted.naming }, {})),
  ],
  'project.spec.webhooks[].id': [theirProject],
  'project.status.clusterRef': 'names a SvcCluster',
}

/** The same for the annotations: every annotation that svc reads is here. */
export const annotationCases: Readonly<Record<keyof typeof annotations, readonly Maker[] | string>> = {
  attempt: [
    meets('release', (wanted) => {
      const { foreign, project } = wanted
      const spec = appSpec.parse({ ...place(wanted), source: image, deploy: { enabled: true } })
      const attempt = {
        record: foreign,
        release: foreign,
        operation: 'deploy',
        actor: 'x',
        requestId: '',
        title: 'x',
        at: '2026-01-01T00:00:00Z',
      }
      const notes = { [annotations.attempt]: JSON.stringify(attempt), [annotations.lastDeployed]: JSON.stringify(spec) }
      return record('app', `att-${wanted.id}`, spec, { annotations: notes, labels: { [labels.project]: project } })
    }),
  ],
  release: [deployment],
  lastDeployed: 'is a spec, whose fields are in the table of fields',
  releaseSpec: 'is a spec, whose fields are in the table of fields',
  pendingChanges: 'is a list of words',
  retry: 'is a token of a retry',
  secretEdit: 'is a mark of an edit',
  askedBy: 'is the name of a user or token',
  editedBy: 'is the name of a user or token, and a number',
  deletion: 'is the name of a user or token, and a time',
  displayName: 'is a label for people',
  naming: 'is a label for people, and a random mark',
  abandon: 'is the name of the record itself',
  drill: 'is a time',
  stored: 'is what a backup holds, in numbers',
  restoredFrom: 'is the id of a backup',
  restoring: 'is a switch',
  badBackups: 'is a time and a sentence',
  withoutBackup: 'is the name of the record itself',
  archived: 'is a list of environments',
  templates: 'is a list of records',
  deployWorkflow: 'is a switch',
  applied: 'is a digest',
  setting: 'is a count of saves',
  writtenAt: 'is a time',
  intent: 'is a digest',
  nodeChoice: 'is a choice of nodes',
  confined: 'is a mark',
  acceptedAs: 'is a line for people',
  credentials: 'is a uid',
  dataVersion: 'is a version',
  unused: 'is a mark',
}
