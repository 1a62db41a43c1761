/** The forms of what may be made in an environment, each judged by the schema of its operation. */
import { Link, useNavigate } from '@tanstack/react-router'
import { appOperations } from '../../contract/apps/operations.ts'
import { defined } from '../../contract/defined.ts'
import { databaseEngines, runtimes, sqlEngines } from '../../contract/fields/words.ts'
import { databaseOperations } from '../../contract/databases/operations.ts'
import { logicalDatabaseOperations } from '../../contract/logical-databases/operations.ts'
import { objectStoreOperations } from '../../contract/object-stores/operations.ts'
import type { ParamsInput } from '../../contract/operations.ts'
import { call } from '../data/api.ts'
import { useRead } from '../data/queries.ts'
import { EditForm } from '../ui/edit-form.tsx'
import type { FormValues } from '../ui/form-field.ts'
import { codeHint, functionModeWords, sampleCode } from '../ui/functions.ts'
import { rootField, tagsField, volumeFields } from '../ui/image-fields.ts'
import { securityFields } from '../ui/login-fields.ts'
import { Notice } from '../ui/notice.tsx'
import { titleOf } from '../ui/resources.tsx'
import { isOfCluster, toServers } from '../ui/servers.ts'
import { copiesFields, deployNow, hostField, name, portField, type Place } from './create-fields.ts'
import { isInCloud, useInCloud } from './in-cloud.ts'

export function ServiceForm({ place }: { place: Place }) {
  const navigate = useNavigate()
  return (
    <EditForm
      whole
      button="Create the service"
      schema={appOperations['apps.create'].params}
      values={{
        name: '',
        image: '',
        port: '8080',
        replicas: '1',
        cpu: '',
        memory: '',
        volumePath: '',
        volumeSize: '',
        host: '',
        runAsRoot: false,
        deploy: true,
      }}
      fields={[
        {
          name: 'image',
          label: 'Image',
          placeholder: 'nginx:1.29',
          hint: 'A container image, with its registry if it is not the default one',
        },
        name,
        portField,
        ...copiesFields,
        ...volumeFields,
        hostField,
        rootField,
        deployNow,
      ]}
      save={async (params) => {
        const made = await call('apps.create', { ...params, ...place })
        void navigate({ to: '/services/$app', params: { app: made.name } })
      }}
    />
  )
}

export function FunctionForm({ place }: { place: Place }) {
  const navigate = useNavigate()
  return (
    <EditForm
      whole
      button="Create the function"
      schema={appOperations['apps.create'].params}
      values={{ name: '', runtime: 'node', mode: 'http', code: sampleCode, host: '', deploy: true }}
      fields={[
        {
          name: 'runtime',
          label: 'Runtime',
          kind: 'select',
          options: runtimes.map((each) => [each, each]),
        },
        {
          name: 'mode',
          label: 'Called with',
          kind: 'select',
          options: functionModeWords,
        },
        { name: 'code', label: 'Code', kind: 'area', hint: codeHint },
        name,
        hostField,
        deployNow,
      ]}
      save={async (params) => {
        const made = await call('apps.create', { ...params, ...place, source: 'function' })
        void navigate({ to: '/services/$app', params: { app: made.name } })
      }}
    />
  )
}

export function DatabaseForm({ place }: { place: Place }) {
  const navigate = useNavigate()
  const cloud = useInCloud(place, ['AWS', 'PlanetScale'])
  return (
    <EditForm
      whole
      button="Create the database"
      schema={databaseOperations['databases.create'].params}
      values={{
        name: '',
        engine: 'postgres',
        connectionRef: '',
        databaseName: '',
        version: '',
        storageSize: '',
        highAvailability: false,
        runOnTags: '',
        deploy: true,
      }}
      fields={[
        {
          name: 'engine',
          label: 'Engine',
          kind: 'select',
          options: databaseEngines.map((each) => [each, each]),
        },
        ...cloud.fields,
        name,
        { name: 'databaseName', label: 'First database', hint: 'Left empty, one is named', when: isInCloud },
        { name: 'version', label: 'Version', hint: 'Left empty, the default of the engine' },
        { name: 'storageSize', label: 'Storage', placeholder: '10Gi' },
        {
          name: 'highAvailability',
          label: 'High availability',
          kind: 'check',
          hint: 'Three copies with automatic failover',
          when: (values) => isPostgres(values) && !isInCloud(values),
        },
        { ...tagsField, when: (values) => !isInCloud(values) },
        deployNow,
      ]}
      save={async (params) => {
        const made = await call('databases.create', { ...params, ...cloud.placed(params), ...place })
        void navigate({ to: '/databases/$db', params: { db: made.name } })
      }}
    />
  )
}

export function ConnectForm({ place }: { place: Place }) {
  const navigate = useNavigate()
  return (
    <EditForm
      whole
      button="Connect the database"
      schema={databaseOperations['databases.connect'].params}
      values={{
        name: '',
        engine: 'postgres',
        host: '',
        port: '',
        username: '',
        password: '',
        databaseName: '',
        sslMode: '',
        caCertificate: '',
      }}
      fields={[
        { name: 'engine', label: 'Engine', kind: 'select', options: sqlEngines.map((each) => [each, each]) },
        { name: 'host', label: 'Host', placeholder: 'db.example.com' },
        { name: 'port', label: 'Port', kind: 'number', hint: 'Left empty, the one of the engine' },
        { name: 'username', label: 'Login' },
        { name: 'password', label: 'Password', kind: 'secret', hint: 'It is sent to this host and port alone' },
        { name: 'databaseName', label: 'Database', hint: 'The one that services are given' },
        name,
        ...securityFields,
      ]}
      save={async (params) => {
        // The schema judged the fields; the place is where the page is.
        const made = await call('databases.connect', { ...params, ...place } as ParamsInput<'databases.connect'>)
        void navigate({ to: '/databases/$db', params: { db: made.name } })
      }}
    />
  )
}

export function LogicalDatabaseForm({ place }: { place: Place }) {
  const navigate = useNavigate()
  const databases = useRead('databases.list', {}).data?.items
  const servers = databases?.filter(fits(place)) ?? []
  return (
    <EditForm
      whole
      button="Create the logical database"
      schema={logicalDatabaseOperations['logical-databases.create'].params}
      values={{ name: '', server: '', database: '', connectionLimit: '' }}
      fields={[
        {
          name: 'server',
          label: 'Server',
          kind: 'select',
          hint: 'A postgres or mysql of this environment, or the shared server of the cluster',
          options: [['', 'Choose one'], ...servers.map((each): [string, string] => [each.name, titleOf(each)])],
        },
        { name: 'database', label: 'Name of the database', hint: 'Letters, digits and underscores' },
        name,
        { name: 'connectionLimit', label: 'Connections at most', kind: 'number', placeholder: '20' },
      ]}
      save={async (params) => {
        const made = await call('logical-databases.create', {
          ...params,
          ...place,
        } as ParamsInput<'logical-databases.create'>)
        void navigate({ to: '/logical-databases/$name', params: { name: made.name } })
      }}
    >
      {databases !== undefined && servers.length === 0 && (
        <NeedsServer panel="shared-database-servers">
          There is none yet: make a postgres or mysql of this environment, or the shared server.
        </NeedsServer>
      )}
    </EditForm>
  )
}

export function BucketForm({ place }: { place: Place }) {
  const navigate = useNavigate()
  const cloud = useInCloud(place, ['AWS'])
  const stores = useRead('object-stores.list', {}).data?.items
  return (
    <EditForm
      whole
      button="Create the bucket"
      schema={objectStoreOperations['object-stores.create'].params}
      values={{ name: '', bucket: '', connectionRef: '', region: '', createBucket: true, deploy: true }}
      fields={[
        ...cloud.fields,
        {
          name: 'bucket',
          label: 'Bucket',
          placeholder: 'uploads',
          hint: '3 to 63 lowercase letters, digits, dots and hyphens',
        },
        {
          name: 'region',
          label: 'Region',
          placeholder: 'eu-central-1',
          hint: 'Left empty, that of the connection',
          when: isInCloud,
        },
        {
          name: 'createBucket',
          label: 'Make the bucket there',
          kind: 'check',
          hint: 'It is removed with this one then. Otherwise the account has it already',
          when: isInCloud,
        },
        name,
        deployNow,
      ]}
      save={async (params) => {
        const { placement } = cloud.placed(params)
        const made = await call('object-stores.create', { ...params, ...defined({ placement }), ...place })
        void navigate({ to: '/buckets/$store', params: { store: made.name } })
      }}
    >
      {stores?.some(isOfCluster) === false && (
        <NeedsServer panel="object-server">A bucket on the cluster waits until there is an object server.</NeedsServer>
      )}
    </EditForm>
  )
}

/** Leads to where the servers of the cluster are set up. */
function NeedsServer({ panel, children }: { panel: string; children: string }) {
  return (
    <Notice
      kind="info"
      action={
        <Link {...toServers} hash={panel} className="underline">
          Set it up
        </Link>
      }
    >
      {children}
    </Notice>
  )
}

const isPostgres = ({ engine }: FormValues): boolean => engine === 'postgres'

const fits =
  ({ project, environment }: Place) =>
  (server: { project: string; environment: string; details: Record<string, unknown> }): boolean =>
    sqlEngines.some((engine) => engine === server.details['engine']) &&
    (server.project === '' || (server.project === project && server.environment === environment))
