/** The floors of the house, lowest first, and what each may import besides itself. */

export const floors: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  durable: ['contract'],
  kinds: ['contract'],
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
  local: ['contract', 'kinds', 'cluster', 'client'],
  deploy: ['durable', 'kinds', 'cluster', 'records', 'temporal', 'local'],
  check: ['contract', 'kinds', 'api', 'cli', 'mcp'],
  bench: ['contract', 'durable', 'kinds', 'cluster', 'client', 'local', 'temporal'],
}

/**
 * Floors whose modules (subfolders) keep to themselves; `local` is one machine's wiring, where modules build on each
 * other.
 */
export const floorsWithRooms = [
  'contract',
  'kinds',
  'outside',
  'records',
  'activities',
  'workflows',
  'api',
  'cli',
  'mcp',
  'dashboard',
]

/**
 * Modules that lie below the others of their floor, lowest first: any other module may import them, and each of them
 * only those before it.
 */
export const sharedRooms: Readonly<Record<string, readonly string[]>> = {
  api: ['context', 'logs', 'views', 'http'],
  cli: ['session', 'output', 'wait', 'records'],
}

/**
 * Modules that put the others of their floor together: each may import every module of it, and no other module imports
 * them.
 */
export const topRooms: Readonly<Record<string, readonly string[]>> = {
  api: ['process'],
}

/** The floors plus the tests, which may import everything. */
export const everyFloor = [...Object.keys(floors), 'test']
