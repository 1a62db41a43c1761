/**
 * What the palette offers to do with a resource. What a page does at one click is done at once; what a page asks again
 * about, or asks for values of, only leads there.
 */
import type { NavigateOptions } from '@tanstack/react-router'
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

/** Of a service, for those who may change it. */
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

/** Of a database or a bucket, for those who may change it: they are deployed when something waits for it. */
export function dataActions(summary: Summary): Action[] {
  const { kind, name, state, pendingChanges } = summary
  if (state === 'deleting' || (state !== 'draft' && pendingChanges === 0)) return []
  const verb = deployVerb(summary)
  if (kind === 'database')
    return [
      { verb, to: { to: '/databases/$db', params: { db: name } }, run: () => call('databases.deploy', { db: name }) },
    ]
  const run = () => call('object-stores.deploy', { store: name })
  return [{ verb, to: { to: '/buckets/$store', params: { store: name } }, run }]
}

const when = (isOffered: boolean, action: Action): Action[] => (isOffered ? [action] : [])
