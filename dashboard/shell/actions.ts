/**
 * What the palette offers to do with a resource. What a page does at one click is done at once; what a page asks again
 * about, or asks for values of, only leads there.
 */
import type { NavigateOptions } from '@tanstack/react-router'
import { defined } from '../../contract/defined.ts'
import type { View } from '../../contract/operations.ts'
import { call } from '../data/api.ts'

type Summary = View<'apps.list'>['items'][number]

/** What is done, and other words that find it. */
const verbs = {
  deploy: '',
  'deploy changes': '',
  'deploy again': 'restart',
  retry: '',
  build: '',
  'roll back': 'rollback earlier',
  scale: 'copies autoscaling sleep stop',
  'public address': 'host domain tls network',
  'open a terminal': 'shell console',
  deployments: 'compare history',
  metrics: '',
  settings: 'image port probes volume',
  delete: 'remove',
  'back up': 'backup archive',
  restore: 'backup archive recover',
  query: 'sql',
  connection: 'password reveal uri login',
  attach: 'connect variables',
  webhooks: 'deliveries events',
  'shared variables': 'env',
  environments: 'add archive staging',
  compliance: 'required tags nodes placement',
  network: 'isolation reach',
  'backup storage': '',
  'git host': 'connect repository github',
  'pull requests': 'preview',
  revoke: 'remove delete',
  'new password': 'reset',
  role: 'admin viewer',
  remove: 'delete',
  place: 'tags region zone reserve compliance',
} as const

/** Every word that finds an action, for telling at once that none is meant. */
export const actionWords: string = Object.entries(verbs).flat().join(' ')

export interface Action {
  readonly verb: keyof typeof verbs
  /** Where it is done, or where one sees how it goes. */
  readonly to: NavigateOptions
  readonly run?: () => Promise<unknown>
}

export const alsoOf = ({ verb }: Action): string => verbs[verb]

const deployVerb = ({ state, pendingChanges }: Summary) =>
  state === 'draft' ? 'deploy' : pendingChanges > 0 ? 'deploy changes' : 'deploy again'

/** The actions on a service, for those who may change it. */
export function serviceActions(summary: Summary): Action[] {
  const { name: app, state, details } = summary
  const to: NavigateOptions = { to: '/services/$app', params: { app } }
  const lead = (verb: Action['verb'], tab: string): Action => ({
    verb,
    to: { to: '/services/$app/$tab', params: { app, tab } },
  })
  const lives = state !== 'deleting'
  const ran = lives && state !== 'draft'
  return [
    ...when(lives, { verb: deployVerb(summary), to, run: () => call('apps.deploy', { app }) }),
    ...when(state === 'failed', { verb: 'retry', to, run: () => call('apps.retry-provision', { app }) }),
    ...when(ran && details['source'] === 'git', { verb: 'build', to, run: () => call('apps.build', { app }) }),
    // Functions cannot be rolled back.
    ...when(ran && details['source'] !== 'function', lead('roll back', 'deployments')),
    lead('scale', 'scaling'),
    lead('public address', 'scaling'),
    lead('open a terminal', 'terminal'),
    lead('deployments', 'deployments'),
    lead('metrics', 'metrics'),
    lead('settings', 'settings'),
    ...when(lives, lead('delete', 'danger')),
  ]
}

/** How each kind of data is deployed, tried again and backed up. Logical databases have no draft. */
const dataCalls = {
  database: (db: string) => ({
    to: (hash?: string): NavigateOptions => ({ to: '/databases/$db', params: { db }, ...defined({ hash }) }),
    deploy: () => call('databases.deploy', { db }),
    retry: () => call('databases.retry-provision', { db }),
    backup: () => call('databases.backup', { db }),
  }),
  'logical-database': (name: string) => ({
    to: (hash?: string): NavigateOptions => ({
      to: '/logical-databases/$name',
      params: { name },
      ...defined({ hash }),
    }),
    deploy: undefined,
    retry: () => call('logical-databases.retry-provision', { logicalDatabase: name }),
    backup: () => call('logical-databases.backup', { logicalDatabase: name }),
  }),
  'object-store': (store: string) => ({
    to: (hash?: string): NavigateOptions => ({ to: '/buckets/$store', params: { store }, ...defined({ hash }) }),
    deploy: () => call('object-stores.deploy', { store }),
    retry: () => call('object-stores.retry-provision', { store }),
    backup: () => call('object-stores.backup', { store }),
  }),
} as const

/** Of a database, a logical database or a bucket, for those who may change it: deployed when something waits for it. */
export function dataActions(summary: Summary): Action[] {
  const { kind, name, state, pendingChanges, project } = summary
  if (kind === 'app' || kind === 'project' || state === 'deleting') return []
  const { to, deploy, retry, backup } = dataCalls[kind](name)
  const waits = state === 'draft' || pendingChanges > 0
  const isBackedUp = project !== '' && state !== 'draft'
  return [
    ...(deploy === undefined ? [] : when(waits, { verb: deployVerb(summary), to: to(), run: deploy })),
    ...when(state === 'failed', { verb: 'retry', to: to(), run: retry }),
    ...when(isBackedUp, { verb: 'back up', to: to('backups'), run: backup }),
    ...when(isBackedUp, { verb: 'restore', to: to('backups') }),
    ...when(kind === 'database' && state !== 'draft', { verb: 'query', to: to('query') }),
    { verb: 'connection', to: to('connection') },
    ...when(project !== '' && kind !== 'logical-database', { verb: 'attach', to: to('attach-to-a-service') }),
    { verb: 'metrics', to: to('metrics') },
    { verb: 'delete', to: to('danger-zone') },
  ]
}

/** The actions on a project, for those who may change it: where its settings are. */
export function projectActions({ name: project, state }: Summary): Action[] {
  if (state === 'deleting') return []
  const lead = (verb: Action['verb'], hash: string): Action => ({
    verb,
    to: { to: '/projects/$project/settings', params: { project }, hash },
  })
  return [
    lead('webhooks', 'webhooks'),
    lead('shared variables', 'shared-variables'),
    lead('environments', 'environments'),
    lead('compliance', 'compliance'),
    lead('network', 'who-may-reach-its-pods'),
    lead('backup storage', 'backup-storage'),
    lead('git host', 'git-host'),
    lead('pull requests', 'pull-requests'),
    lead('delete', 'danger-zone'),
  ]
}

const ofSettings = (section: string, offered: readonly Action['verb'][], hash: string): Action[] =>
  offered.map((verb) => ({ verb, to: { to: '/settings/$section', params: { section }, hash } }))

export const tokenActions = (): Action[] => ofSettings('tokens', ['revoke'], 'tokens')
export const userActions = (): Action[] => ofSettings('users', ['role', 'new password', 'remove'], 'users')
export const nodeActions = ({ name }: { name: string }): Action[] => [
  { verb: 'place', to: { to: '/cluster', search: { node: name } } },
]

const when = (isOffered: boolean, action: Action): Action[] => (isOffered ? [action] : [])
