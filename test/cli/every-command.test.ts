/** Every command that asks the service: what it does with an answer, in words and as JSON, and with each refusal. */
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect } from 'chai'
import { z } from 'zod'
import { createProgram } from '../../cli/program.ts'
import type { Cli } from '../../cli/session/session.ts'
import { operations } from '../../contract/operations.ts'
import type { Operation } from '../../contract/operation.ts'
import { openDesk, type Desk, type RunOptions } from './run-svc.ts'
import { sampleOf } from './sample.ts'

const cli = { terminal: { live: false }, env: {} } as unknown as Cli // no command is run by this tree
const program = await createProgram(cli)

/** These ask nothing of the service, or want a record of their own kind; the files test them. */
const elsewhere: Readonly<Record<string, string>> = {
  login: 'sign-in.test.ts',
  logout: 'sign-in.test.ts',
  'config get-contexts': 'sign-in.test.ts',
  'config use-context': 'sign-in.test.ts',
  'config set-context': 'sign-in.test.ts',
  mcp: 'mcp.test.ts',
  api: 'commands.test.ts',
  version: 'about.test.ts',
  metrics: 'cluster.test.ts',
  'environments list': 'project-parts.test.ts',
  'variables list': 'project-parts.test.ts',
  'webhooks list': 'project-parts.test.ts',
  'functions triggers add': 'functions.test.ts',
  'functions triggers remove': 'functions.test.ts',
  'functions invoke': 'functions.test.ts',
  completion: 'completion.test.ts',
  man: 'shells.test.ts',
  help: 'help.test.ts',
  'apps shell': 'shell-ends.test.ts',
  shell: 'shell-ends.test.ts',
  'platform key': 'platform.test.ts',
  'platform backup': 'platform.test.ts',
  'platform check': 'platform.test.ts',
  'platform restore': 'platform.test.ts',
}

/** What follows the command where `web` for each argument does not do. */
const words: Readonly<Record<string, string>> = {
  'apps create': 'web --image svc/hello:1',
  'apps rollback': 'web web-old',
  rollback: 'web web-old',
  'apps attach': 'web web --kind database',
  'apps scale': 'web 2',
  scale: 'web 2',
  'apps env set': 'web A=1',
  'env set': 'web A=1',
  'apps env import': 'web --file -',
  'env import': 'web --file -',
  open: 'web',
  'apps set': 'web --replicas 1',
  'databases set': 'web --copies 1',
  'databases connect': 'web --host db.example.com --username app --password-stdin',
  'databases set-login': 'web --password-stdin',
  'databases query': 'web select',
  'logical-databases create': 'web --server web',
  'logical-databases set': 'web --backups',
  'stores set': 'web --region eu-central-1',
  'projects network': '--isolation None',
  'environments close-pull-request': 'acme/web --number 1',
  'environments allow-pull-request': 'acme/web --number 1 --commit c0ffee1',
  'nodes tag': 'web fast',
  'webhooks add': '--to https://example.com/hook',
  'users add': 'web --password-stdin',
  'users set-password': 'web --password-stdin',
}

/** Tables that are no list of named things. */
const ownTables: Readonly<Record<string, string>> = {
  'databases query': 'the columns are those of the statement',
  'runs show': 'the steps of one run, in their order',
}

const isList = ({ options }: Command): boolean =>
  ['--quiet', '--columns', '--sort'].every((flag) => options.some(({ long }) => long === flag))

function leavesOf(command: Command, path: string): [string, Command][] {
  if (command.commands.length === 0) return [[path, command]]
  return command.commands.flatMap((child) => leavesOf(child, `${path} ${child.name()}`.trim()))
}

const argsOf = (path: string, command: Command): string[] => {
  const needed = command.registeredArguments.filter(({ required }) => required).map(() => 'web')
  return [...path.split(' '), ...(words[path]?.split(' ') ?? needed)]
}

type Answer = { readonly status: number; readonly body: unknown }

/** What the service answers to every request but a sign-in with a password. */
async function startService(answer: (method: string, path: string) => Answer): Promise<Server> {
  const server = createServer((request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? ''
    const isSignIn = path === '/api/login'
    const { status, body } = isSignIn ? { status: 200, body: { ok: true } } : answer(request.method ?? '', path)
    response.writeHead(status, {
      'content-type': 'application/json',
      ...(isSignIn ? { 'set-cookie': 'svc_session=a' } : {}),
    })
    response.end(JSON.stringify(body))
    request.resume()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}

/** An answer in the shape of the contract. */
function answerOf(method: string, path: string): Answer {
  const found = Object.values<Operation>(operations).find(({ v1, dashboard }) => {
    const routes = [
      ...(v1 === undefined ? [] : [[v1.method, `/api/v1${v1.path}`]]),
      ...(dashboard === undefined ? [] : [[dashboard.method, dashboard.path.replace('/api/', '/api/v1/')]]),
    ]
    return routes.some(([verb, shape = '']) => verb === method && matches(shape, path))
  })
  if (found === undefined) return { status: 404, body: { error: `no ${method} ${path}`, code: 'not_found' } }
  return { status: found.status ?? 200, body: sampleOf(z.toJSONSchema(found.view, { unrepresentable: 'any' })) }
}

/** The same, where every text of no fixed form would clear the screen, ring the bell, and go on in red. */
function hostileAnswerOf(method: string, path: string): Answer {
  const { status, body } = answerOf(method, path)
  const text = JSON.stringify(body).replaceAll('"web"', JSON.stringify('web\u001b[2J\u0007\u001b[31m\u009b1mx\r'))
  return { status, body: JSON.parse(text) as unknown }
}

const matches = (shape: string, path: string): boolean =>
  new RegExp(`^${shape.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(path)

describe('every command', () => {
  const leaves = leavesOf(program, '')
  const asking = leaves.filter(([path]) => elsewhere[path] === undefined)
  let desk: Desk
  let server: Server
  let answer: (method: string, path: string) => Answer
  before(async () => {
    desk = await openDesk()
    server = await startService((method, path) => answer(method, path))
  })
  after(async () => {
    server.closeAllConnections()
    server.close()
    await desk.close()
  })
  const svc = async (path: string, command: Command, flags: readonly string[] = [], options: RunOptions = {}) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}` // on TCP, so no path
    const place = ['--url', url, '--token', 'svw_a_b', '-p', 'proj-1a2b3c4d', '-e', 'production', '-y']
    const env = { SVC_PASSWORD: 'correct-horse-battery', NO_COLOR: '1' }
    return await desk.svc([...place, ...argsOf(path, command), ...flags], {
      ...{ env, ...options },
      input: 'correct-horse-battery\nstaple-staple\n',
    })
  }

  it('is in one of the two lists', () => {
    const paths = new Set(leaves.map(([path]) => path))
    expect([...Object.keys(elsewhere), ...Object.keys(words)].filter((path) => !paths.has(path))).to.deep.equal([])
    expect(asking).to.have.length.above(100)
  })
  it('is in the file that tests it elsewhere', () => {
    for (const [path, file] of Object.entries(elsewhere))
      expect(readFileSync(join(import.meta.dirname, file), 'utf8'), path).to.include(path.split(' ').at(-1))
  })
  for (const [path, command] of asking) {
    it(`${path}: the answer in words and as JSON; 1, 3 and 4 with the sentence of a refusal`, async () => {
      answer = answerOf
      const said = await svc(path, command)
      expect(said.code, said.err).to.equal(0)
      expect(said.out).not.to.equal('')
      const printsTable = /^[A-Z]{2}[A-Z ]*$/.test(said.out.split('\n')[0] ?? '')
      if (printsTable && ownTables[path] === undefined) expect(isList(command), path).to.equal(true)
      if (isList(command)) {
        const names = await svc(path, command, ['-q', '--sort', said.out.split(/ {3,}|\n/)[0] ?? ''])
        expect([names.code, names.out.split('\n').length], names.err).to.deep.equal([
          0,
          said.out.split('\n').length - 1,
        ])
      }
      const json = await svc(path, command, ['--json'])
      expect(json.code, json.err).to.equal(0)
      expect(() => void JSON.parse(json.out), json.out).not.to.throw()
      for (const [status, code, kind] of refusals) {
        answer = () => ({ status, body: { error: `refused with ${status}`, code: kind } })
        for (const flags of [[], ['--json']]) {
          const refused = await svc(path, command, flags)
          expect([refused.code, refused.out]).to.deep.equal([code, ''])
          expect(refused.err).to.match(new RegExp(`^(Deleting .* for good\n)?error: .*refused with ${status}`))
        }
      }
    })
    it(`${path}: prints no control character of an answer or a refusal`, async () => {
      answer = hostileAnswerOf
      // A pipe gets the lines of a log unchanged.
      const { out, err } = await svc(path, command, [], { tty: /\blogs$/.test(path) })
      expect(out + err).not.to.equal('')
      const json = await svc(path, command, ['--json'])
      expect([out, err, json.out].filter((text) => controlCharacters.test(text))).to.deep.equal([])
      answer = () => ({ status: 400, body: { error: 'refused \u001b[2J\u0007', code: 'invalid_request' } })
      expect((await svc(path, command)).err)
        .to.include('refused')
        .and.not.to.match(controlCharacters)
    })
  }
})

// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const controlCharacters = /[\x00-\x09\x0b-\x1f\x7f-\x9f]/

const refusals = [
  [400, 1, 'invalid_request'],
  [401, 4, 'unauthenticated'],
  [403, 4, 'forbidden'],
  [404, 3, 'not_found'],
] as const
