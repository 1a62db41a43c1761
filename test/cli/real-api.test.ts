/**
 * Every command against a real api, as real-commands.ts has it: its answer in words and as JSON, what is not there,
 * what a rule refuses, and who may not.
 */
import { expect } from 'chai'
import type { Command } from 'commander'
import { createProgram } from '../../cli/program.ts'
import type { Cli } from '../../cli/session/session.ts'
import { type TestApi, testUsers } from '../api/test-api.ts'
import type { RealCommand } from './real-command.ts'
import { realCommands } from './real-commands.ts'
import { furnish, type Furnished, removeStore, type Who } from './real-furniture.ts'
import { namesNothing, refusesNothing } from './real-lacks.ts'
import { type RealServers, realServersWithinMs, startRealServers } from './real-servers.ts'
import { openDesk, type Desk, type Run } from './run-svc.ts'

const cli = { terminal: { live: false }, env: {} } as unknown as Cli // no command is run by this tree
const program = await createProgram(cli)

/** They ask no service, or need more than one call: a terminal, an agent, a browser. Their own files test them. */
const elsewhere = ['login', 'logout', 'config', 'completion', 'man', 'help', 'mcp', 'shell', 'apps shell', 'platform']

/** One sentence, after what the command was about to do where that is deleting or going back. */
const refusal = /^((Deleting|Rolling) [^\n]+\n)?error: [^\n]+\n$/

const leavesOf = (command: Command, path: string): string[] =>
  command.commands.length === 0
    ? [path]
    : command.commands.flatMap((child) => leavesOf(child, `${path} ${child.name()}`.trim()))

describe('every command against a real api', function () {
  this.timeout(60_000)
  let servers: RealServers | undefined
  let api: TestApi
  let desk: Desk
  let tokens: Furnished['tokens']
  let names: Furnished['names']
  before(async function () {
    this.timeout(realServersWithinMs)
    const begun = await startRealServers()
    servers = begun
    api = begun.api
    desk = await openDesk()
    const furnished = await furnish(api, begun.names['receiver'] ?? '')
    tokens = furnished.tokens
    names = { ...furnished.names, ...begun.names }
  })
  after(async () => {
    await desk?.close()
    await servers?.stop()
  })

  /** @param n what stands for `{n}`: each run of a command that makes or removes something needs a name of its own. */
  const svc = async (path: string, words: string, n: string, token: string, more: SvcOptions = {}): Promise<Run> => {
    const { flags = [], env = {}, input } = more
    const named = words
      .replaceAll('{n}', n)
      .replaceAll('{N}', n.toUpperCase())
      .replaceAll(/\{([\w-]+)\}/g, (_, name: string) => names[name.replace(/-n$/, `-${n}`)] ?? name)
    // As saved defaults: flags would limit the commands to what is there.
    const place = {
      SVC_ENVIRONMENT: 'production',
      ...(words.startsWith('-p') ? {} : { SVC_PROJECT: names['project'] ?? '' }),
    }
    const args = ['-y', ...flags, ...path.split(' '), ...named.split(' ')]
    const asked = ['--url', api.baseUrl, '--token', token, ...args.filter((word) => word !== '')]
    return await desk.svc(asked, {
      realTime: true,
      env: { ...place, ...env },
      ...(input === undefined ? {} : { input: input.replace('{password}', env['SVC_PASSWORD'] ?? '') }),
    })
  }

  it('is in the table, or in the list of those that are tested elsewhere', () => {
    const paths = leavesOf(program, '').filter(
      (path) => !elsewhere.some((word) => path === word || path.startsWith(`${word} `)),
    )
    const inTable = Object.keys(realCommands).filter((path) => !path.includes(' --'))
    expect(inTable.toSorted()).to.deep.equal(paths.toSorted())
  })
  it('has what there is not and what is refused, or is in the list of those of which there is none', () => {
    const without = (what: 'missing' | 'refused') =>
      Object.entries(realCommands).flatMap(([path, row]) => (row[what] === undefined ? [path] : []))
    expect(without('missing')).to.have.members(Object.values(namesNothing).flat())
    expect(without('refused')).to.have.members(Object.values(refusesNothing).flat())
  })

  for (const [path, row] of Object.entries(realCommands)) {
    const { works, onlyOne, says, missing, refused, others = works, by, input, refusedInput = input, prints } = row
    const more = { ...(input === undefined ? {} : { input }), env: { SVC_PASSWORD: testUsers.admin.password } }
    const self = by === 'project token' ? by : 'admin'
    it(`${path}: works, in words and as JSON`, async () => {
      for (const [n, flags] of [
        ['a', []],
        ['b', ['--json']],
      ] as const) {
        if (onlyOne !== undefined) await removeStore(api, tokens.admin, onlyOne)
        const run = await svc(path, works, n, tokens[self], { ...more, flags })
        expect(run.code, run.err).to.equal(0)
        if (flags.length > 0) expect(() => void JSON.parse(run.out), run.out).not.to.throw()
      }
    })
    if (missing !== undefined)
      it(`${path}: ends with 3 for what there is not`, async () => {
        const { code, out, err } = await svc(path, missing, 'd', tokens[self], more)
        expect([code, prints ?? out], err).to.deep.equal([3, prints ?? ''])
        expect(err).to.match(refusal)
      })
    if (refused !== undefined)
      it(`${path}: ends with 1 and the sentence of a rule`, async () => {
        const { code, out, err } = await svc(path, refused, 'd', tokens[self], {
          ...more,
          ...(refusedInput === undefined ? {} : { input: refusedInput }),
        })
        expect([code, prints ?? out], err).to.deep.equal([1, prints ?? ''])
        expect(err).to.match(refusal)
        if (says !== undefined) expect(err).to.match(says)
      })
    it(`${path}: ${mayOf(row)}`, async () => {
      for (const [token, env, code] of callersOf(row, tokens)) {
        const run = await svc(path, `${others}${env === undefined ? '' : ' --as vera'}`, 'c', token, {
          ...more,
          ...(env === undefined ? {} : { env }),
        })
        if (code === 4) expect([run.code, prints ?? run.out], run.err).to.deep.equal([4, prints ?? ''])
        else expect(run.code, run.err).not.to.equal(4)
      }
    })
  }
})

interface SvcOptions {
  flags?: readonly string[]
  env?: Record<string, string>
  input?: string
}

function mayOf({ by }: RealCommand): string {
  return {
    viewer: 'is open to a viewer, and to no made-up token',
    observer: 'is open to an observer and to no viewer',
    password: 'is open to no viewer who signs in',
    'project token': 'is open to no token of the install',
    admin: 'is open to no viewer and to no made-up token',
  }[by ?? 'admin']
}

/** A token or a password of a viewer, and the exit code: 4, or any other. */
function callersOf(
  { by }: RealCommand,
  tokens: Record<Who, string>,
): [string, Record<string, string> | undefined, 0 | 4][] {
  if (by === 'password') return [[tokens.admin, { SVC_PASSWORD: testUsers.viewer.password }, 4]]
  if (by === 'project token') return [[tokens.admin, undefined, 4]]
  return [
    ['svw_made_up', undefined, 4],
    [tokens.viewer, undefined, by === 'viewer' ? 0 : 4],
    ...(by === 'observer' ? [[tokens.observer, undefined, 0] as [string, undefined, 0]] : []),
  ]
}
