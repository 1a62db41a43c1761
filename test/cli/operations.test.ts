/** Every operation has a command, or a reason why `svc api` is enough; commands name all that an operation takes. */
import type { Command } from 'commander'
import { expect } from 'chai'
import type { z } from 'zod'
import { appRows } from '../../cli/apps/operations.ts'
import { cloudRows, settingRows, templateRows, tokenRows, usageRow } from '../../cli/platform/operations.ts'
import { createProgram } from '../../cli/program.ts'
import { environmentRows, projectRows, variableRows, webhookRows } from '../../cli/projects/operations.ts'
import type { Cli } from '../../cli/session/session.ts'
import { operations, type OperationId } from '../../contract/operations.ts'

const rows = {
  apps: appRows,
  projects: projectRows,
  environments: environmentRows,
  variables: variableRows,
  webhooks: webhookRows,
  'settings registry': settingRows.registry,
  'settings domain': settingRows.domain,
  'settings dns': settingRows.dns,
  'settings githost': settingRows.githost,
  clouds: cloudRows,
  templates: templateRows,
  tokens: tokenRows,
  '': [usageRow],
} as const

/** Commands that do more than one operation, or say more of it than a row can. */
const byHand: Partial<Record<OperationId, string>> = {
  'platform.version': 'version',
  'platform.me': 'whoami',
  'platform.openapi': 'openapi',
  'platform.backup': 'platform backup',
  'platform.restore': 'platform restore',
  'auth.device-start': 'login',
  'auth.device-token': 'login',
  'users.list': 'users list',
  'users.create': 'users add',
  'users.remove': 'users remove',
  'users.set-password': 'users set-password',
  'users.change-password': 'users set-password',
  'users.set-role': 'users set-role',
  'projects.list': 'projects list',
  'projects.create': 'projects create',
  'projects.get': 'projects get',
  'projects.settings-delete': 'projects delete',
  'projects.metrics': 'metrics',
  'projects.compliance': 'compliance show',
  'projects.compliance-save': 'compliance set',
  'apps.list': 'apps list',
  'apps.create': 'apps create',
  'apps.get': 'apps get',
  'apps.status': 'status',
  'apps.delete': 'apps delete',
  'apps.deploy': 'deploy',
  'apps.build': 'build',
  'apps.build-cancel': 'build',
  'apps.scale': 'scale',
  'apps.rollback': 'rollback',
  'apps.deployments': 'apps deployments',
  'apps.deployment-logs': 'logs',
  'apps.deployment-logs-stream': 'logs',
  'apps.variables': 'env list',
  'apps.config-raw': 'env import',
  'apps.config-set': 'env set',
  'apps.config-delete': 'env unset',
  'apps.secrets-set': 'env set',
  'apps.secrets-delete': 'env unset',
  'apps.env-delete': 'env unset',
  'apps.logs': 'logs',
  'apps.logs-stream': 'logs',
  'apps.console': 'shell',
  'apps.metrics': 'metrics',
  'apps.attach': 'apps attach',
  'apps.invoke': 'functions invoke',
  'apps.git-webhook': 'apps git-webhook',
  'apps.git-webhook-rotate': 'apps git-webhook',
  'apps.deploy-key': 'apps deploy-key',
  'apps.deploy-key-rotate': 'apps deploy-key',
  'apps.deploy-key-delete': 'apps deploy-key',
  'apps.schedules': 'functions triggers list',
  'apps.schedule-run': 'functions triggers run',
  'metrics.cluster': 'metrics',
  'metrics.operator': 'metrics',
  'nodes.list': 'nodes list',
  'runs.list': 'runs list',
  'runs.get': 'runs show',
  'nodes.placement': 'nodes tag',
  'databases.list': 'databases list',
  'databases.create': 'databases create',
  'databases.connect': 'databases connect',
  'databases.change-login': 'databases set-login',
  'databases.get': 'databases get',
  'databases.update': 'databases set',
  'databases.delete': 'databases delete',
  'databases.deploy': 'databases deploy',
  'databases.discard': 'databases discard',
  'databases.retry-provision': 'databases retry',
  'databases.connection': 'databases connection',
  'databases.metrics': 'metrics',
  'databases.query': 'databases query',
  'databases.restore': 'databases restore',
  'databases.backup': 'databases backup',
  'databases.archives': 'databases archives',
  'databases.get-archive': 'databases backup',
  'databases.delete-archive': 'databases delete-archive',
  'logical-databases.list': 'logical-databases list',
  'logical-databases.create': 'logical-databases create',
  'logical-databases.get': 'logical-databases get',
  'logical-databases.update': 'logical-databases set',
  'logical-databases.delete': 'logical-databases delete',
  'logical-databases.retry-provision': 'logical-databases retry',
  'logical-databases.connection': 'logical-databases connection',
  'logical-databases.backup': 'logical-databases backup',
  'object-stores.list': 'stores list',
  'object-stores.create': 'stores create',
  'object-stores.get': 'stores get',
  'object-stores.update': 'stores set',
  'object-stores.delete': 'stores delete',
  'object-stores.deploy': 'stores deploy',
  'object-stores.discard': 'stores discard',
  'object-stores.retry-provision': 'stores retry',
  'object-stores.restore': 'stores restore',
  'object-stores.backup': 'stores backup',
}

/** `svc api` is enough, or the operation is of another program. */
const withoutCommand: Partial<Record<OperationId, string>> = {
  'platform.events': 'a stream for programs: `svc api GET events`',
  'platform.bootstrap': 'the first read of a dashboard',
  'platform.warnings': 'what the overview of a dashboard warns of: `svc api GET platform/warnings`',
  'nodes.placement-warnings': 'what a page says before a save; `svc nodes tag` says it of what it saved',
  'projects.placement-warnings': 'what a page says before a save: `svc api GET projects/ID/placement/warnings`',
  'auth.login': 'a browser signs in by it; `svc login` takes a token',
  'auth.logout': 'ends the session of a browser; `svc logout` forgets the token',
  'auth.session': 'the session of a browser',
  'auth.device-read': 'the page that approves a program',
  'auth.device-approve': 'approved in a browser, by a person who sees what asks',
  'tokens.self': '`svc whoami` says who calls',
  'projects.logs-stream': 'a stream for programs; `svc logs APP -f` follows one service',
}

const cli = { terminal: { live: false }, env: {} } as unknown as Cli // no command is run
const program = await createProgram(cli)

function commandAt(path: string): Command | undefined {
  const words = path.split(' ').filter((word) => word !== '')
  return words.reduce<Command | undefined>(
    (command, word) => command?.commands.find((each) => each.name() === word || each.aliases().includes(word)),
    program,
  )
}

describe('commands of operations', () => {
  const made = Object.entries(rows).flatMap(([group, list]) =>
    list.map(({ name, id }): [OperationId, string] => [id, `${group} ${name}`.trim()]),
  )

  it('there is one for each operation, or a reason why not, and never both', () => {
    const has = new Set<string>([...made.map(([id]) => id), ...Object.keys(byHand)])
    const ids = Object.keys(operations)
    expect(ids.filter((id) => !has.has(id) && !Object.hasOwn(withoutCommand, id))).to.deep.equal([])
    expect(Object.keys(withoutCommand).filter((id) => has.has(id) || !ids.includes(id))).to.deep.equal([])
  })

  it('each is in the tree', () => {
    const missing = [...made, ...Object.entries(byHand)].filter(([, path]) => commandAt(path) === undefined)
    expect(missing).to.deep.equal([])
  })

  it('the columns of each are fields of the items that its operation answers', () => {
    const unknown = Object.values(rows)
      .flat()
      .flatMap(({ id, columns = [], list = 'items' }) => {
        const items = (operations[id].view as z.ZodObject).shape[list] as z.ZodArray<z.ZodObject> | undefined
        return columns
          .filter((column) => items?.element.shape[column] === undefined)
          .map((column) => `${id}: ${column}`)
      })
    expect(unknown).to.deep.equal([])
  })

  it('`apps set` names every setting that may be changed, and nothing else', () => {
    // A move to another project or environment is made where both are seen.
    const left = new Set(['app', 'project', 'environment', 'functionTriggers'])
    const fields = Object.keys(operations['apps.update'].params.shape).filter((field) => !left.has(field))
    const set = commandAt('apps set')
    const row = appRows.find(({ name }) => name === 'set')
    const named = (row?.options ?? []).map(({ field }, at) => field ?? set?.options[at]?.attributeName())
    expect(named).to.have.members(fields)
  })

  for (const [id, path, renamed] of [
    [
      'databases.update',
      'databases set',
      { version: 'engineVersion', storageSize: 'storage', clusterSize: 'copies', backupRetentionDays: 'backupDays' },
    ],
    ['logical-databases.update', 'logical-databases set', { backupRetentionDays: 'backupDays' }],
    ['object-stores.update', 'stores set', { connectionRef: 'connection', backupRetentionDays: 'backupDays' }],
  ] as const)
    it(`\`${path}\` names every setting that may be changed`, () => {
      const flags = new Map<string, string>(Object.entries(renamed))
      const [, ...fields] = Object.keys(operations[id].params.shape) // the first is its name
      const named = new Set(commandAt(path)?.options.map((option) => option.attributeName()))
      expect(fields.length).to.be.at.least(2)
      expect(fields.filter((field) => !named.has(flags.get(field) ?? field))).to.deep.equal([])
    })
})
