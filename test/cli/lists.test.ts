/** What every list can do: columns, order, names alone, the width of the terminal, colours; and that every one can. */
import type { Command } from 'commander'
import { expect } from 'chai'
import { createProgram } from '../../cli/program.ts'
import type { Cli } from '../../cli/session/session.ts'
import { recordOf } from '../client/records.ts'
import { openDesk, type Desk, type RunOptions } from './run-svc.ts'

const app = (name: string, changes: object = {}) => recordOf({ kind: 'app', name, ...changes }).resource

describe('lists', () => {
  let desk: Desk
  beforeEach(async () => {
    desk = await openDesk()
    const items = [
      app('web-2', { pendingChanges: 10 }),
      app('web-10', { pendingChanges: 9, state: 'failed' }),
      app('api'),
    ]
    desk.service.on('GET /apps', { json: { items } })
  })
  afterEach(async () => await desk.close())
  const list = async (args: string, options: RunOptions = {}) => {
    const { code, out, err } = await desk.signedIn(['apps', 'ls', ...args.split(' ').filter(Boolean)], options)
    expect([code, err], args).to.deep.equal([0, ''])
    return out.trimEnd().split('\n')
  }

  it('print names alone', async () => {
    expect(await list('-q')).to.deep.equal(['web-2', 'web-10', 'api'])
    desk.service.on('GET /apps', { json: { items: [] } })
    expect(await list('-q')).to.deep.equal([''])
  })
  it('show the columns that are asked for, in their order, whatever their case', async () => {
    expect(await list('--columns STATE,name')).to.deep.equal([
      'STATE    NAME',
      'ready    web-2',
      'failed   web-10',
      'ready    api',
    ])
    expect((await list('--columns label,created'))[0]).to.match(/^LABEL +CREATED$/)
  })
  it('head the fields of an answer with words, and know both', async () => {
    const projects = [9, 10].map((cpuReservedMillis) => ({ project: `proj-${cpuReservedMillis}`, cpuReservedMillis }))
    desk.service.on('GET /usage', { json: { projects } })
    const usage = async (...args: string[]) => (await desk.signedIn(['usage', ...args])).out.trimEnd().split('\n')
    expect((await usage())[0]).to.include('   CPU RESERVED MILLIS   ')
    const sorted = ['CPU RESERVED MILLIS', '10', '9']
    for (const heading of ['cpuReservedMillis', 'CPU RESERVED MILLIS'])
      expect(await usage('--columns', heading, '--sort', `-${heading}`)).to.deep.equal(sorted)
  })
  it('sort by a column, numbers by their size, and backwards', async () => {
    expect(await list('-q --sort name')).to.deep.equal(['api', 'web-2', 'web-10'])
    expect(await list('-q --sort -pending')).to.deep.equal(['web-2', 'web-10', 'api'])
    expect(await list('-q --sort PENDING')).to.deep.equal(['api', 'web-10', 'web-2'])
  })
  it('refuse columns that there are not, and a shape for JSON', async () => {
    for (const args of [
      ['--columns', 'nope'],
      ['--sort', 'nope'],
      ['--json', '-q'],
      ['--json', '--sort', 'name'],
    ]) {
      const { code, out, err } = await desk.signedIn(['apps', 'ls', ...args])
      expect([code, out], args.join(' ')).to.deep.equal([2, ''])
      expect(err).to.match(/there is no column nope; the columns are name, project|for tables/)
    }
  })
  it('name the columns that have a heading', async () => {
    const { err } = await desk.svc(['config', 'get-contexts', '--columns', 'nope'])
    expect(err).to.include('there is no column nope; the columns are name, address, ')
  })
  it('of several projects name them, by their IDs where two have one name', async () => {
    const ids = ['proj-0000000a', 'proj-0000000b', 'proj-0000000c', 'proj-0000000d']
    const items = ids.map((project, at) => app(`web-${at}`, { project }))
    const names = ['Shop', 'Blog', 'Twin', 'Twin']
    const projects = ids.map((name, at) => recordOf({ kind: 'project', name, displayName: names[at] ?? '' }).resource)
    desk.service.on('GET /apps', { json: { items } })
    desk.service.on('GET /projects', { json: { items: projects } })
    const columns = async (...args: string[]) =>
      (await list(['--columns name,project', ...args].join(' '))).slice(1).map((row) => row.split(/ +/).join(' '))
    expect(await columns()).to.deep.equal(['web-0 Shop', 'web-1 Blog', 'web-2 proj-0000000c', 'web-3 proj-0000000d'])
    expect((await columns('--sort', 'project'))[0]).to.equal('web-1 Blog')
    expect((await list(''))[1]).to.match(/^web-0 +Shop +/)
    const tokens = items.map(({ project }) => ({ id: project, name: 'ci', scope: 'project', project }))
    desk.service.on('GET /databases', { json: { items: [...items, app('shared', { project: '' })] } })
    desk.service.on('GET /cloud-connections', { json: { items: tokens } })
    for (const words of ['databases list', 'cloud list']) {
      const { code, out, err } = await desk.signedIn([...words.split(' '), '--columns', 'project'])
      expect([code, err, out.split('\n')[1]], words).to.deep.equal([0, '', 'Shop'])
    }
    const { out } = await desk.signedIn(['apps', 'ls', '--json'])
    expect(JSON.parse(out)).to.deep.equal({ items })
  })
  it('of one project, and without its column, ask for no name', async () => {
    expect((await list('--columns project'))[0]).to.equal('PROJECT')
    const other = app('web-3', { project: 'proj-0000000b' })
    desk.service.on('GET /apps', { json: { items: [app('web-2'), other] } })
    for (const args of ['-q', '--columns name,state']) await list(args)
    expect(desk.service.asked.map(({ path }) => path)).not.to.include('/projects')
  })
  it('without items say that the place does not exist, in every form', async () => {
    desk.service.on('GET /apps', { json: { items: [] } })
    desk.service.on('GET /me', { json: { role: 'viewer', scope: 'workspace' } })
    const { resource } = recordOf({ kind: 'project', name: 'proj-1', details: { environments: ['production'] } })
    desk.service.on('GET /projects', { json: { items: [resource] } })
    const ask = async (...args: string[]) => await desk.signedIn(['apps', 'ls', ...args])
    const err = 'no project has an environment nope\n'
    expect(await ask('-e', 'nope')).to.deep.include({ code: 0, out: '', err })
    expect(await ask('-e', 'nope', '-q')).to.deep.include({ code: 0, out: '', err })
    const asJson = await ask('-e', 'nope', '--json')
    expect([JSON.parse(asJson.out), asJson.err]).to.deep.equal([{ items: [] }, err])
    expect((await ask('-e', 'production')).err).to.match(/^no services here/)
  })
  it('fit the width of a terminal, and cut the names last', async () => {
    const long = app('a-service-with-a-long-name', { message: 'waiting for copies: 1 of 3 available '.repeat(3) })
    desk.service.on('GET /apps', { json: { items: [long] } })
    const [head = '', row = ''] = await list('', { tty: true, env: { NO_COLOR: '1' } })
    expect([head.length <= 80, row.length <= 80]).to.deep.equal([true, true])
    expect(row).to.include('a-service-with-a-long-name').and.to.include('…')
    expect((await list(''))[1]).to.include(long.message.trimEnd())
  })
  it('are coloured for a person alone, and not with NO_COLOR', async () => {
    const coloured = async (options: RunOptions) => (await list('', options)).join('\n').includes('\x1b[')
    expect(await coloured({ tty: true })).to.equal(true)
    expect(await coloured({ tty: true, env: { NO_COLOR: '1' } })).to.equal(false)
    expect(await coloured({ tty: true, env: { TERM: 'dumb' } })).to.equal(false)
    expect(await coloured({})).to.equal(false)
  })

  it('all have the same flags', async () => {
    const cli = { terminal: { live: false }, env: {} } as unknown as Cli // no command is run
    const commands = (command: Command): Command[] => [command, ...command.commands.flatMap(commands)]
    const flagsOf = (command: Command) => command.options.map(({ long }) => long)
    const others = new Set([
      'archives',
      'deployments',
      'get-contexts',
      'pods',
      'orphans',
      'pending',
      'repositories',
      'usage',
    ])
    const lists = commands(await createProgram(cli)).filter((it) => it.name() === 'list' || others.has(it.name()))
    expect(lists.length).to.be.at.least(20)
    for (const command of lists)
      expect(flagsOf(command), command.name()).to.include.members(['--quiet', '--columns', '--sort'])
  })
})
