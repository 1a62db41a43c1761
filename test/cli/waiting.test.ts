/** Waiting is one thing everywhere: each command has `--wait` and `--timeout`, or a list here says why not. */
import { expect } from 'chai'
import type { Command } from 'commander'
import { createProgram } from '../../cli/program.ts'
import type { Cli } from '../../cli/session/session.ts'

const cli = { terminal: { live: false }, env: {} } as unknown as Cli // no command is run
const program = await createProgram(cli)

const under = (group: string, verbs: string): string[] => verbs.split(' ').map((verb) => `${group} ${verb}`)
const settings = (verb: string, ...of: readonly string[]): string[] => of.map((each) => `settings ${each} ${verb}`)

const waiting = [
  ...'deploy build status scale rollback'.split(' '),
  ...under('env', 'set unset import'),
  ...under('apps', 'create set attach retry delete deploy build status scale rollback'),
  ...under('apps env', 'set unset import'),
  ...under('functions triggers', 'add remove run'),
  ...under('databases', 'get create create-server connect set-login set deploy retry delete'),
  ...under('databases', 'backup restore delete-archive'),
  ...under('logical-databases', 'get create retry delete backup'),
  ...under('stores', 'get create create-server set deploy retry delete backup restore'),
  ...under('projects', 'create network deploy delete'),
  ...under('environments', 'create archive close-pull-request'),
  ...['webhooks redeliver', 'clouds create', 'settings domain set', 'settings dns set', 'tokens deploy'],
]

/** A new command without `--wait` needs a reason. */
const without: Readonly<Record<string, readonly string[]>> = {
  'it reads': [
    ...['env list', 'apps env list', 'functions triggers list', 'metrics', 'open', 'usage', 'api', 'openapi'],
    ...under('apps', 'list get deployments pending pods copies builds compare'),
    ...under('databases', 'list connection archives query'),
    ...under('logical-databases', 'list connection'),
    ...under('projects', 'list get pending capacity connections logs log-history repositories'),
    ...['environments list', 'variables list', 'webhooks list'],
    ...['stores list', 'templates list', 'nodes list', 'clouds list', 'clouds orphans', 'compliance show'],
    ...under('runs', 'list show'),
    ...settings('show', 'registry', 'domain', 'dns', 'githost'),
    ...['tokens list', 'tokens services', 'users list', 'whoami', 'version'],
  ],
  'it goes on until what it shows ends': ['logs', 'apps logs', 'shell', 'apps shell', 'mcp'],
  'its answer is its end': [
    ...['apps rename', 'apps discard', 'apps git-webhook', 'apps deploy-key', 'functions invoke'],
    ...under('projects', 'set backup-storage disconnect-githost'),
    'environments pull-requests',
    ...under('webhooks', 'add set rotate test delete'),
    ...under('compliance', 'set clear'),
    ...['nodes tag', 'databases discard', 'stores discard', 'logical-databases set'],
    ...settings('set', 'registry', 'githost'),
    ...settings('clear', 'registry', 'domain', 'dns', 'githost'),
    ...under('tokens', 'create create-for-environment revoke'),
    ...under('users', 'add set-password set-role remove'),
    ...under('platform', 'key backup check restore'),
  ],
  'it only saves, and several such changes go with one deploy, which waits': [
    ...under('apps', 'clear-host share-variables'),
    ...under('variables', 'set unset'),
    'templates deploy',
  ],
  'a person goes on in a browser': ['projects connect-githost'],
  'the login waits as long as its code is valid': ['login'],
  'what it begins is the deploy of each service of an environment, which `svc status NAME --wait` waits for': [
    'environments allow-pull-request',
  ],
  'it asks no service': [
    ...['logout', 'completion', 'man', 'help'],
    ...under('config', 'get-contexts use-context set-context'),
  ],
}

const leavesOf = (command: Command, path: string): [string, Command][] =>
  command.commands.length === 0
    ? [[path, command]]
    : command.commands.flatMap((child) => leavesOf(child, `${path} ${child.name()}`.trim()))

describe('--wait and --timeout', () => {
  const leaves = leavesOf(program, '')
  const flagsOf = (command: Command) =>
    ['--wait', '--timeout'].filter((flag) => command.options.some(({ long }) => long === flag))

  it('are on everything that takes time, together, and nowhere else', () => {
    const found = leaves.filter(([, command]) => flagsOf(command).length > 0)
    expect(found.map(([path]) => path)).to.have.members(waiting)
    for (const [path, command] of found) expect(flagsOf(command), path).to.deep.equal(['--wait', '--timeout'])
  })
  it('are left out of the other commands for a reason', () => {
    const others = leaves.map(([path]) => path).filter((path) => !waiting.includes(path))
    expect(Object.values(without).flat()).to.have.members(others)
  })
  it('mean the same everywhere: a duration, ten minutes if it is left out', () => {
    for (const [path, command] of leaves) {
      const timeout = command.options.find(({ long }) => long === '--timeout')
      if (timeout === undefined) continue
      expect([timeout.flags, timeout.defaultValue], path).to.deep.equal(['--timeout <duration>', '10m'])
    }
  })
})
