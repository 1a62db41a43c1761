/**
 * Which rows of real-commands.ts have nothing that is not there, or nothing that is refused, and why. Each row is tried
 * with both, or is here: a list that should only shrink.
 */

/** Commands that are given no name of anything. */
export const namesNothing = {
  'they list all that there is': [
    'apps list',
    'databases list',
    'databases archives',
    'logical-databases list',
    'stores list',
    'projects list',
    'templates list',
    'nodes list',
    'usage',
    'runs list',
    'clouds list',
    'clouds orphans',
    'tokens list',
    'tokens services',
    'users list',
  ],
  'they make something new, of no project': [
    'databases create-server',
    'stores create-server',
    'projects create',
    'tokens create',
    'users add',
  ],
  'they are about what a cluster has one of': [
    ...['registry', 'domain', 'dns', 'githost'].flatMap((of) =>
      ['show', 'set', 'clear'].map((verb) => `settings ${of} ${verb}`),
    ),
    'whoami',
    'openapi',
    'version',
  ],
  'the project is that of the token': ['tokens deploy'],
  'an unknown project of a new token is refused with 400, as the row has it': ['tokens create-for-environment'],
} as const

const under = (group: string, ...verbs: readonly string[]): string[] => verbs.map((verb) => `${group} ${verb}`)

/**
 * Commands that no words of theirs make a rule refuse. What another write was quicker at is refused all the same:
 * test/api has that of their operations.
 */
export const refusesNothing = {
  'they read': [
    ...['', 'apps '].flatMap((above) => [`${above}status`, `${above}env list`]),
    ...under('apps', 'list', 'get', 'deployments', 'builds', 'copies', 'compare', 'deploy-key'),
    ...under('apps', 'git-webhook', 'pending', 'pods'),
    'functions triggers list',
    ...['logs --build', 'open'],
    ...under('databases', 'list', 'get', 'archives'),
    ...under('logical-databases', 'list', 'get'),
    ...under('stores', 'list', 'get'),
    ...under('projects', 'list', 'get'),
    ...['environments list', 'variables list', 'webhooks list'],
    ...['templates list', 'compliance show', 'nodes list', 'usage', 'clouds list', 'clouds orphans'],
    ...['registry', 'domain', 'dns', 'githost'].map((of) => `settings ${of} show`),
    ...['whoami', 'openapi', 'version', 'tokens list', 'tokens services', 'users list'],
  ],
  'they take away what is there, and know its name': [
    ...['', 'apps '].map((above) => `${above}env unset`),
    ...under('apps', 'delete', 'discard', 'clear-host'),
    'functions triggers remove',
    ...under('databases', 'discard', 'delete-archive'),
    'logical-databases delete',
    ...under('stores', 'discard', 'delete'),
    'projects delete',
    'webhooks delete',
    'compliance clear',
    ...['registry', 'domain', 'dns', 'githost'].map((of) => `settings ${of} clear`),
    'tokens revoke',
  ],
  'they begin again what is there, whatever its state': ['scale --always-on', 'webhooks rotate', 'webhooks test'],
} as const
