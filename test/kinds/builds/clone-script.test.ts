/**
 * The script that fetches a repository, run by a shell against a real git server over HTTP: public, and with a token.
 */
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { makeAuthority } from '../../harness/dashboard-endpoint.ts'
import { runClone } from './run-clone.ts'

const token = 'token-of-the-test'
/** The files by which the other containers know that it has fetched everything, or that it has failed. */
const marks = ['cloned', 'not-cloned'] as const
const folder = mkdtempSync(join(tmpdir(), 'svc-git-'))
const asTester = {
  GIT_AUTHOR_NAME: 't',
  GIT_AUTHOR_EMAIL: 't@example.test',
  GIT_COMMITTER_NAME: 't',
  GIT_COMMITTER_EMAIL: 't@example.test',
}

function git(cwd: string, ...args: string[]): string {
  const env = { ...process.env, ...asTester, GIT_CONFIG_NOSYSTEM: '1', HOME: folder }
  return execFileSync('git', args, { cwd, env, encoding: 'utf8' }).trim()
}

/** `git http-backend`, as a CGI program; everything under `/private` needs the token as its password. */
function serve(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const login = Buffer.from((request.headers.authorization ?? '').replace('Basic ', ''), 'base64').toString()
  if (pathname.startsWith('/private') && login !== `x-access-token:${token}`) {
    response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
    return
  }
  if (pathname.startsWith('/broken')) {
    response.writeHead(503).end()
    return
  }
  const backend: ChildProcess = spawn('git', ['http-backend'], {
    env: {
      ...process.env,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: pathname.replace('/private', ''),
      QUERY_STRING: searchParams.toString(),
      REQUEST_METHOD: request.method ?? 'GET',
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
  })
  const answer: Buffer[] = []
  if (backend.stdin !== null) request.pipe(backend.stdin)
  backend.stdout?.on('data', (chunk: Buffer) => answer.push(chunk))
  backend.on('close', () => {
    const all = Buffer.concat(answer)
    const end = all.indexOf('\r\n\r\n')
    const headers = all
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => line.split(': ') as [string, string])
    const status = Number(headers.find(([name]) => name === 'Status')?.[1].slice(0, 3) ?? 200)
    response.writeHead(status, Object.fromEntries(headers.filter(([name]) => name !== 'Status')))
    response.end(all.subarray(end + 4))
  })
}

describe('the script that fetches a repository', function () {
  this.timeout(30_000)
  let server: Server
  let base: string
  let head: string

  before(async () => {
    const source = join(folder, 'source')
    mkdirSync(join(source, 'web'), { recursive: true })
    git(source, 'init', '-q', '-b', 'main')
    writeFileSync(join(source, 'package.json'), '{}')
    writeFileSync(join(source, 'web', 'Dockerfile'), 'FROM scratch\n')
    mkdirSync(join(source, 'empty'))
    writeFileSync(join(source, 'empty', 'README'), 'nothing to build\n')
    symlinkSync('/etc', join(source, 'outside'))
    git(source, 'add', '.')
    git(source, 'commit', '-q', '-m', 'first')
    head = git(source, 'rev-parse', 'HEAD')
    git(folder, 'clone', '-q', '--bare', source, 'web.git')
    server = createServer(serve)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const run = (env: Record<string, string>, login: Record<string, string> = {}) =>
    runClone(folder, { REPOSITORY: `${base}/web.git`, ...env }, login)

  it('fetches the head of a branch, and takes its Dockerfile', async () => {
    const { code, said, place } = await run({ CONTEXT: 'web' })
    expect([code, said]).to.deep.equal([0, `{"revision":"${head}"}`])
    expect(readFileSync(join(place, 'work', 'context'), 'utf8')).to.equal(join(place, 'work', 'src', 'web'))
    expect(existsSync(join(place, 'work', 'src', '.git'))).to.equal(false)
  })

  it('fetches the default branch where none is named, and writes a Dockerfile where there is none', async () => {
    const { code, said, place } = await run({ BRANCH: '' })
    expect([code, said]).to.deep.equal([0, `{"revision":"${head}","kind":"node"}`])
    expect(readFileSync(join(place, 'work', 'gen', 'Dockerfile'), 'utf8')).to.contain('npm ci')
  })

  it('stops at a commit whose image is known', async () => {
    const { code, said, place } = await run({ KNOWN_REVISION: head })
    expect([code, said]).to.deep.equal([0, `{"revision":"${head}","reused":true}`])
    expect(['unchanged', ...marks].map((name) => existsSync(join(place, 'work', name)))).to.deep.equal([
      ...[true, true, false],
    ])
  })

  it('reads a private repository with the token, and writes that nowhere', async () => {
    const { code, output, place } = await run({ REPOSITORY: `${base}/private/web.git` }, { token })
    expect(code, output).to.equal(0)
    expect(output).not.to.contain(token)
    const found = spawnSync('grep', ['-rl', token, join(place, 'work')], { encoding: 'utf8' })
    expect(found.stdout).to.equal('')
    expect(marks.map((name) => existsSync(join(place, 'work', name)))).to.deep.equal([true, false])
  })

  it('sends the token to the host of the repository alone, also where a submodule asks for one', async () => {
    const logins: string[] = []
    const other = createServer((request, response) => {
      const [, login = ''] = (request.headers.authorization ?? '').split(' ')
      logins.push(Buffer.from(login, 'base64').toString())
      response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const source = join(folder, 'source')
    git(source, 'checkout', '-q', '-b', 'submodule')
    const url = `http://x-access-token@127.0.0.1:${(other.address() as AddressInfo).port}/lib.git`
    writeFileSync(join(source, '.gitmodules'), `[submodule "lib"]\n  path = lib\n  url = ${url}\n`)
    git(source, 'update-index', '--add', '--cacheinfo', `160000,${head},lib`)
    git(source, 'add', '.gitmodules')
    git(source, 'commit', '-q', '-m', 'a submodule')
    git(source, 'push', '-q', join(folder, 'web.git'), 'submodule')
    const { said } = await run({ REPOSITORY: `${base}/private/web.git`, BRANCH: 'submodule' }, { token })
    other.close()
    expect(said).to.equal('a submodule cannot be fetched')
    // Git itself sends the name that the address has.
    expect([...new Set(logins)].toSorted()).to.deep.equal(['', 'x-access-token:'])
  })

  it('trusts a server by an authority that it is given, for the name of its certificate alone', async () => {
    const authority = await makeAuthority()
    const other = await makeAuthority()
    const secure = createTlsServer(await authority.issue('localhost'), serve)
    await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve))
    const { port } = secure.address() as AddressInfo
    const from = async (host: string, authorities?: string) =>
      (await runClone(folder, { REPOSITORY: `https://${host}:${port}/web.git` }, {}, authorities)).said
    const untrusted = /^the certificate of the git server is not trusted: fatal: unable to access /
    try {
      expect(await from('localhost', authority.pem)).to.equal(`{"revision":"${head}","kind":"node"}`)
      expect(await from('localhost')).to.match(untrusted)
      expect(await from('localhost', other.pem)).to.match(untrusted)
      expect(await from('127.0.0.1', authority.pem)).to.match(untrusted)
    } finally {
      secure.close()
      await Promise.all([authority.forget(), other.forget()])
    }
  })

  const refusals: [what: string, env: Record<string, string>, login: Record<string, string>, why: RegExp][] = [
    ['a branch that is not there', { BRANCH: 'gone' }, {}, /^the repository has no branch gone$/],
    ['a private one without a login', { REPOSITORY: 'private/web.git' }, {}, /refuses the login, or needs one$/],
    ['a private one with another token', { REPOSITORY: 'private/web.git' }, { token: 'wrong' }, /refuses the login/],
    ['one that is not there', { REPOSITORY: 'none.git' }, {}, /was not found, or needs a login$/],
    ['a server that is not there', { REPOSITORY: 'away' }, {}, /^the git server does not answer: fatal: .*port 1/],
    ['a server that fails', { REPOSITORY: 'broken/web.git' }, {}, /^the git server does not answer: .*: 503$/],
    ['an address of ssh without a key', { REPOSITORY: 'git@127.0.0.1:web.git' }, {}, /there is no key for it/],
    ['a folder that is not there', { CONTEXT: 'none' }, {}, /^the repository has no folder none$/],
    ['a folder that leads out of it', { CONTEXT: 'outside' }, {}, /leads out of the repository$/],
    ['a named Dockerfile that is not there', { DOCKERFILE: 'Other' }, {}, /^the repository has no file Other/],
    ['nothing to build it by', { CONTEXT: 'empty' }, {}, /looked for bun\.lock, .*index\.html$/],
  ]
  for (const [what, env, login, why] of refusals)
    it(`refuses ${what} with a sentence`, async () => {
      const { REPOSITORY: repository = 'web.git' } = env
      const away = 'http://127.0.0.1:1/web.git'
      const address = repository === 'away' ? away : repository.includes('@') ? repository : `${base}/${repository}`
      const { code, said, place } = await run({ ...env, REPOSITORY: address }, login)
      expect(said).to.match(why)
      expect(code).to.equal(1)
      expect(marks.map((name) => existsSync(join(place, 'work', name)))).to.deep.equal([false, true])
    })
})
