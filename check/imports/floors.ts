/** The floors of the project, lowest first, and what each may import besides itself. */

export const floors: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  kinds: ['contract'],
  durable: ['contract', 'kinds'],
  cluster: ['contract', 'kinds'],
  outside: ['contract', 'kinds'],
  records: ['contract', 'kinds', 'cluster'],
  activities: ['contract', 'durable', 'kinds', 'cluster', 'outside', 'records'],
  workflows: ['durable', 'kinds', 'activities'],
  temporal: ['contract', 'durable', 'kinds', 'cluster', 'outside', 'records', 'activities', 'workflows'],
  api: ['contract', 'durable', 'kinds', 'cluster', 'outside', 'records', 'temporal'],
  client: ['contract'],
  mcp: ['contract', 'client'],
  cli: ['contract', 'client', 'mcp'],
  dashboard: ['contract', 'client'],
  'one-machine': ['contract', 'kinds', 'cluster', 'client'],
  deploy: ['durable', 'kinds', 'cluster', 'records', 'temporal', 'one-machine'],
  check: ['contract', 'durable', 'kinds', 'api', 'cli', 'mcp'],
  bench: [
    'contract',
    'durable',
    'kinds',
    'cluster',
    'outside',
    'client',
    'cli',
    'one-machine',
    'temporal',
    'dashboard',
    'test/harness',
  ],
}

/** Floors whose modules (subfolders) do not import each other. */
export const floorsWithModules = [
  'contract',
  'kinds',
  'cluster',
  'outside',
  'records',
  'activities',
  'workflows',
  'temporal',
  'api',
  'cli',
  'mcp',
  'dashboard',
]

/**
 * Modules that lie below the others of their floor, lowest first: any other module may import them, and each of them
 * only those before it.
 */
export const sharedModules: Readonly<Record<string, readonly string[]>> = {
  contract: ['fields', 'views'],
  kinds: ['meta', 'schema', 'placement', 'pods', 'secrets', 'provision', 'logs'],
  cluster: ['objects', 'http'],
  records: ['counters', 'store', 'secrets', 'place', 'backups'],
  activities: ['context', 'kube', 'webhooks', 'provision', 'backups'],
  temporal: ['caches', 'client', 'releases', 'settings'],
  api: ['context', 'logs', 'views', 'http'],
  cli: ['session', 'output', 'wait', 'records', 'operations'],
  mcp: ['tool'],
  dashboard: ['data', 'ui', 'logs', 'shell'],
}

/**
 * Modules that combine the others of their floor: each may import every module of it, and no other module imports them.
 */
export const topModules: Readonly<Record<string, readonly string[]>> = {
  activities: ['resync'],
  api: ['process'],
}

/** The floors plus the tests, which may import everything. */
export const everyFloor = [...Object.keys(floors), 'test']
