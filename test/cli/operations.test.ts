/** Every operation has a command, or a reason why `svc api` is enough; and what the commands made from rows ask for. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect } from 'chai'
import type { z } from 'zod'
import { appRows } from '../../cli/apps/operations.ts'
import { cloudRows, settingRows, templateRows, tokenRows, usageRow } from '../../cli/platform/operations.ts'
import { createProgram } from '../../cli/program.ts'
import { environmentRows, projectRows, variableRows, webhookRows } from '../../cli/projects/operations.ts'
import type { Cli } from '../../cli/session/session.ts'
import { operations, type OperationId } from '../../contract/operations.ts'
import { openDesk, type Desk } from './run-svc.ts'

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

  describe('ask', () => {
    let desk: Desk
    let folder: string
    const place = ['-p', 'proj-1a2b3c4d', '-e', 'production']
    beforeEach(async () => {
      desk = await openDesk()
      folder = await mkdtemp(join(tmpdir(), 'svc-rows-'))
    })
    afterEach(async () => {
      await desk.close()
      await rm(folder, { recursive: true })
    })

    const asks: [string, string[], string, unknown][] = [
      [
        'fields of every kind',
        'apps set web --replicas 3 --tls on --run-on-tags fast big --host a.example.com --target-cpu 70'.split(' '),
        'PATCH /apps/web',
        { replicas: 3, tls: true, runOnTags: ['fast', 'big'], host: 'a.example.com', targetCPU: 70 },
      ],
      [
        'the project',
        [...place, 'environments', 'create', 'staging'],
        'POST /projects/proj-1a2b3c4d/environments',
        { environment: 'staging' },
      ],
      [
        'the project and its environment',
        [...place, 'templates', 'deploy', 'shop'],
        'POST /templates/shop/deploy',
        { project: 'proj-1a2b3c4d', environment: 'production' },
      ],
      [
        'the name of what is deleted',
        [...place, '-y', 'environments', 'archive', 'staging'],
        'POST /projects/proj-1a2b3c4d/environments/archive',
        { environment: 'staging', confirmName: 'staging' },
      ],
      [
        'lists',
        [...place, 'webhooks', 'add', '--to', 'https://example.com/hook', '--events', 'deployment.failed'],
        'POST /projects/proj-1a2b3c4d/webhooks/save',
        { url: 'https://example.com/hook', event: ['deployment.failed'] },
      ],
    ]
    for (const [what, args, route, body] of asks) {
      it(what, async () => {
        desk.service.on(route, { json: { ok: true } })
        const { code, err } = await desk.signedIn(args)
        const where = `project proj-1a2b3c4d, ${desk.service.url}`
        const warning = args.includes('archive') ? `Deleting environment staging (${where}) for good\n` : ''
        expect([code, err]).to.deep.equal([0, warning])
        expect(desk.service.asked.map((it) => [`${it.method} ${it.path}`, it.body])).to.deep.equal([[route, body]])
      })
    }

    it('how a copy ended, in words', async () => {
      const copy = { name: 'web-1', deployment: 'web-aaaaa', node: 'n1', phase: 'Running', ready: true, message: '' }
      const lastEnd = { reason: 'OOMKilled', exitCode: 137, at: '2026-11-21T13:05:09.1Z' }
      const items = [
        { ...copy, restarts: 1, lastEnd },
        { ...copy, name: 'web\x1b[2J\x07-2', restarts: 0 },
      ]
      desk.service.on('GET /apps/web/copies', { json: { items } })
      const { out } = await desk.signedIn(['apps', 'copies', 'web'])
      expect(out).to.include('OOMKilled (exit code 137), 2026-11-21 13:05:09Z').and.not.include('{')
      expect(out, 'control characters are seen')
        .to.include(String.raw`web\u001b[2J\u0007-2`)
        .and.not.include('\x1b[2J')
    })

    it('which of the shared variables that a service chose there are none of', async () => {
      desk.service.on('GET /apps/web', { json: { resource: { project: 'proj-1a2b3c4d', environment: 'production' } } })
      const sharedVariables = [{ name: 'REGION' }, { name: 'ELSE', environment: 'staging' }]
      desk.service.on('GET /projects/proj-1a2b3c4d', { json: { spec: { sharedVariables } } })
      desk.service.on('POST /apps/web/shared-variables/save', { json: { ok: true, pending: [] } })
      const said = async (...names: string[]) => (await desk.signedIn(['apps', 'share-variables', 'web', ...names])).err
      expect(await said('REGION')).to.equal('')
      expect(await said('REGION', 'ELSE', 'NONE')).to.equal(
        'environment production has no shared variable ELSE, NONE yet\n',
      )
    })

    it('what became of saved changes in a sentence, not the fields of the answer', async () => {
      const answer = {
        ok: true,
        title: 'Changes to deploy',
        detail: 'Changed variables wait.',
        button: 'Deploy changes',
      }
      desk.service.on('POST /apps/web/shared-variables/save', { json: { ...answer, pending: ['variables'] } })
      desk.service.on('GET /apps/web', { json: { resource: { project: 'proj-1a2b3c4d', environment: 'production' } } })
      desk.service.on('GET /projects/proj-1a2b3c4d', { json: { spec: { sharedVariables: [{ name: 'REGION' }] } } })
      const shared = await desk.signedIn(['apps', 'share-variables', 'web', 'REGION'])
      expect(shared.out).to.equal('Saved. Changed variables wait. Deploy with `svc deploy web`\n')
      const none = { ...answer, pending: [], detail: 'Everything that is saved is deployed.' }
      desk.service.on('POST /apps/web/discard', { json: none })
      const discarded = await desk.signedIn(['apps', 'discard', 'web'])
      expect(discarded.out).to.equal('Discarded. Everything that is saved is deployed.\n')
    })

    describe('a shared variable', () => {
      const ask = async (text: string, input = '') => {
        desk.service.on('POST /projects/proj-1a2b3c4d/variables/save', { json: { ok: true } })
        const { code, err } = await desk.signedIn([...place, 'variables', 'set', ...text.split(' ')], { input })
        return { code, err, bodies: desk.service.asked.map(({ body }) => body) }
      }
      const environment = 'production'

      for (const [title, text, fields] of [
        ['by its name and a flag', 'REGION --value eu', { name: 'REGION', value: 'eu' }],
        ['as NAME=VALUE, as those of a service', 'REGION=eu', { name: 'REGION', value: 'eu' }],
        ['whose value has an equals sign', 'QUERY=a=b', { name: 'QUERY', value: 'a=b' }],
        ['that is empty', 'EMPTY=', { name: 'EMPTY', value: '' }],
        ['that is secret', 'KEY=k1 --secret on', { name: 'KEY', value: 'k1', secret: true }],
        ['that is secret, from standard input', 'KEY=- --secret on', { name: 'KEY', value: 'typed', secret: true }],
        ['that is a hyphen', 'DASH=-', { name: 'DASH', value: '-' }],
      ] as const)
        it(title, async () => {
          const { code, bodies } = await ask(text, 'typed\n')
          expect([code, bodies]).to.deep.equal([0, [{ environment, ...fields }]])
        })

      it('not with two values', async () => {
        const { code, err, bodies } = await ask('REGION=eu --value us')
        expect([code, bodies]).to.deep.equal([2, []])
        expect(err).to.contain('give the value behind = or by a flag, not both')
      })
    })

    it('secrets out of a file or standard input, never out of the arguments', async () => {
      const route = 'POST /settings/registry/save'
      desk.service.on(route, { json: { ok: true } })
      await writeFile(join(folder, 'password'), 'hunter2\n')
      const set = ['settings', 'registry', 'set', 'registry.example.com/team', '--username', 'me', '--password']
      expect((await desk.signedIn([...set, `@${folder}/password`])).code).to.equal(0)
      expect((await desk.signedIn([...set, '-'], { input: 'hunter2\n' })).code).to.equal(0)
      const wanted = { repository: 'registry.example.com/team', username: 'me', password: 'hunter2' }
      expect(desk.service.asked.map(({ body }) => body)).to.deep.equal([wanted, wanted])
      const refused = await desk.signedIn([...set, 'hunter2'])
      expect([refused.code, desk.service.asked.length]).to.deep.equal([2, 2])
      expect((await desk.signedIn([...set, `@${folder}/nowhere`])).code).to.equal(2)
    })

    it('nothing where the project is not said, or a switch is neither on nor off', async () => {
      expect((await desk.signedIn(['environments', 'create', 'staging'])).code).to.equal(2)
      expect((await desk.signedIn(['apps', 'set', 'web', '--tls', 'maybe'])).code).to.equal(2)
      expect(desk.service.asked).to.deep.equal([])
    })

    it('and print tables, pairs, or JSON', async () => {
      desk.service.on('GET /templates', {
        json: { items: [{ id: 'shop', name: 'Shop', category: 'web', description: 'x' }] },
      })
      expect((await desk.signedIn(['templates', 'ls'])).out).to.match(/^ID {3,}NAME[^]*shop {3}Shop/)
      desk.service.on('GET /settings/githost', { json: { appId: '7', clientId: '', slug: 'svc', configured: true } })
      expect((await desk.signedIn(['settings', 'githost', 'show'])).out)
        .to.contain('appId:')
        .and.to.contain('7')
      expect(JSON.parse((await desk.signedIn(['settings', 'githost', 'show', '--json'])).out)).to.deep.equal({
        appId: '7',
        clientId: '',
        slug: 'svc',
        configured: true,
      })
    })
  })
})
