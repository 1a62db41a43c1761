/** Specs that the cluster refuses by the rules of a kind, each with words of the refusal; and specs that it takes. */
import type { ResourceTypeName } from '../../kinds/meta/resource-types.ts'

export const app = (change: object = {}) => ({
  project: 'proj-0a1b2c3d',
  environment: 'production',
  source: { image: { image: 'svc/hello:1' } },
  ...change,
})
export const database = (change: object = {}) => ({ project: 'proj-0a1b2c3d', environment: 'production', ...change })
export const store = (change: object = {}) => ({
  project: 'proj-0a1b2c3d',
  environment: 'production',
  engine: 'Local',
  buckets: ['photos'],
  ...change,
})
export const deployment = (change: object = {}) => ({
  app: 'a',
  project: 'proj-0a1b2c3d',
  environment: 'production',
  image: 'x',
  ...change,
})
const volume = { path: '/data', size: '10Gi' }
const secretKeyRef = { name: 'a', key: 'b' }
export const ofSvc = 'this Secret belongs to svc itself'

/** What is refused, the kind and name of the record, its spec, and what the refusal says. */
export const refused: [string, ResourceTypeName, string, object, string][] = [
  [
    'a service of two sources',
    'app',
    'a',
    app({ source: { image: {}, git: {} } }),
    'set exactly one of image, git and function',
  ],
  ['a service of no source', 'app', 'a', app({ source: {} }), 'set exactly one of image, git and function'],
  ['1001 copies', 'app', 'a', app({ replicas: 1001 }), 'spec.replicas'],
  ['port 0', 'app', 'a', app({ port: 0 }), 'spec.port'],
  [
    'minReplicas over maxReplicas',
    'app',
    'a',
    app({ autoscaling: { minReplicas: 4, maxReplicas: 3 } }),
    'minReplicas must not exceed maxReplicas',
  ],
  ['29 idle seconds', 'app', 'a', app({ scaleToZero: { idleSeconds: 29 } }), 'spec.scaleToZero.idleSeconds'],
  [
    'a variable with two values',
    'app',
    'a',
    app({ env: [{ name: 'A', value: 'x', valueFrom: { secretKeyRef } }] }),
    'set value or valueFrom, not both',
  ],
  [
    'a deployed service without an image',
    'app',
    'a',
    app({ source: { image: {} }, deploy: { enabled: true } }),
    'a deployed service needs an image',
  ],
  [
    'a function with a volume',
    'app',
    'a',
    app({ source: { function: {} }, volume }),
    'a function cannot have a volume',
  ],
  ...[{ replicas: 2 }, { autoscaling: {} }, { scaleToZero: { maxReplicas: 2 } }].map(
    (scaled): [string, ResourceTypeName, string, object, string] => [
      `a volume beside ${JSON.stringify(scaled)}`,
      'app',
      'a',
      app({ ...scaled, volume }),
      'a service with a volume runs one copy',
    ],
  ),
  ...['/proc/1', '/etc', '/var/run/app'].map((path): [string, ResourceTypeName, string, object, string] => [
    `a volume at ${path}`,
    'app',
    'a',
    app({ volume: { ...volume, path } }),
    'must not be in /proc, /sys, /dev, /etc, /run, /var/run',
  ]),
  ...['/', 'data', '/data/', '/a/../b', '/a:b'].map((path): [string, ResourceTypeName, string, object, string] => [
    `a volume at ${path}`,
    'app',
    'a',
    app({ volume: { ...volume, path } }),
    'spec.volume.path',
  ]),
  [
    'nine schedules',
    'app',
    'a',
    app({
      source: {
        function: { triggers: Array.from({ length: 9 }, (_, n) => ({ name: `t${n}`, schedule: '@daily' })) },
      },
    }),
    'spec.source.function.triggers',
  ],
  ['a service of a foreign project name', 'app', 'a', app({ project: 'kube-system' }), 'spec.project'],
  [
    'a quantity that is none',
    'app',
    'a',
    app({ resources: { requests: { cpu: 'much' } } }),
    'spec.resources.requests.cpu',
  ],
  [
    'a project of another name',
    'project',
    'kube',
    { environments: ['production'] },
    'the name of a project must be proj- and 8 hexadecimal digits',
  ],
  ['a project without environments', 'project', 'proj-00000002', { environments: [] }, 'spec.environments'],
  [
    'an environment name that does not fit',
    'project',
    'proj-00000002',
    { environments: ['a'.repeat(50)] },
    'project ID plus environment name must be at most 63 characters',
  ],
  [
    'an environment that is no DNS label',
    'project',
    'proj-00000002',
    { environments: ['Prod'] },
    'spec.environments[0]',
  ],
  [
    'nine required tags',
    'project',
    'proj-00000002',
    { environments: ['a'], requiredTags: Array.from({ length: 9 }, (_, n) => `t${n}`) },
    'spec.requiredTags',
  ],
  [
    '26 pull-request environments',
    'project',
    'proj-00000002',
    { environments: ['a'], pullRequestEnvironments: { maxOpen: 26 } },
    'maxOpen',
  ],
  [
    'a shared variable with two values',
    'project',
    'proj-00000002',
    { environments: ['a'], sharedVariables: [{ name: 'A', value: 'x', secretRef: secretKeyRef }] },
    'set exactly one of value and secretRef',
  ],
  [
    'a database with half an owner',
    'database',
    'a',
    { project: 'proj-0a1b2c3d' },
    'set project and environment together, or neither',
  ],
  [
    'a highly available redis',
    'database',
    'a',
    database({ engine: 'redis', highAvailability: true }),
    'high availability needs the engine postgres',
  ],
  [
    'a bucket that looks like an address',
    'objectStore',
    'a',
    store({ buckets: ['10.0.0.1'] }),
    'a bucket name must not look like an IPv4 address',
  ],
  [
    'a bucket with two dots',
    'objectStore',
    'a',
    store({ buckets: ['a..b'] }),
    'a bucket name must not contain two dots in a row',
  ],
  [
    'nine node tags of the object server',
    'objectStore',
    'a',
    { runOn: { tags: Array.from({ length: 9 }, (_, n) => `t${n}`) } },
    'spec.runOn.tags',
  ],
  [
    '33 buckets',
    'objectStore',
    'a',
    store({ buckets: Array.from({ length: 33 }, (_, n) => `bucket-${n}`) }),
    'spec.buckets',
  ],
  [
    'a remote server of the whole cluster',
    'objectStore',
    'a',
    { engine: 'Remote' },
    'a store without a project is the object server of the cluster',
  ],
  [
    'a connection limit of 1001',
    'logicalDatabase',
    'a',
    { project: 'p', environment: 'a', serverRef: 's', databaseName: 'd', connectionLimit: 1001 },
    'spec.connectionLimit',
  ],
  ['a record without a project', 'deployment', 'a', deployment({ project: '' }), 'spec.project'],
  ['a service with the users for its variables', 'app', 'a', app({ secretRef: { name: 'svc-dashboard-auth' } }), ofSvc],
  [
    'a service with an API token for its variables',
    'app',
    'a',
    app({ secretRef: { name: 'svc-token-0a1b2c3d4e5f' } }),
    ofSvc,
  ],
  [
    'a shared variable out of a setting of the platform',
    'project',
    'proj-00000002',
    {
      environments: ['a'],
      sharedVariables: [{ name: 'A', secretRef: { name: 'platform-githost', key: 'private_key' } }],
    },
    ofSvc,
  ],
  [
    'a database with the token of the tunnel for its password',
    'database',
    'a',
    database({ placement: 'External', externalPasswordRef: { name: 'svc-tunnel', key: 'token' } }),
    ofSvc,
  ],
  [
    'a cloud account with the keys of the DNS provider',
    'cloudConnection',
    'a',
    { project: 'proj-0a1b2c3d', secretRef: { name: 'platform-dns-provider' } },
    ofSvc,
  ],
  [
    'a second platform configuration',
    'platformConfig',
    'other',
    {},
    'the platform configuration must be named platform',
  ],
  [
    'a dashboard address with a path',
    'platformConfig',
    'platform',
    { dashboardURL: 'https://svc.example.com/x' },
    'spec.dashboardURL',
  ],
]
