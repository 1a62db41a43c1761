/**
 * The script that fetches a repository, over ssh from a real sshd: with the deploy key that svc makes, and with others.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type DeployKeyPair, deployKeyFields, deployKeyPair } from '../../../kinds/builds/deploy-key.ts'
import { freePort } from '../../../one-machine/processes/index.ts'
import { type SshServer, startSshServer } from '../../harness/ssh-server.ts'
import { runClone } from './run-clone.ts'

const newPair = (): DeployKeyPair => {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  return deployKeyPair(Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url'), 'svc-web')
}
const loginOf = ({ secret }: DeployKeyPair, hosts?: string) => ({
  [deployKeyFields.secret]: secret,
  ...(hosts === undefined ? {} : { [deployKeyFields.hosts]: hosts }),
})

describe('the script that fetches a repository over ssh', function () {
  this.timeout(60_000)
  const folder = mkdtempSync(join(tmpdir(), 'svc-git-ssh-'))
  const own = newPair()
  let server: SshServer
  let repository: string
  let head: string

  before(async function () {
    this.timeout(180_000) // the server may have to be fetched
    server = await startSshServer()
    server.allow(own.shown)
    const source = join(folder, 'source')
    mkdirSync(source)
    const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.test']
    const git = (...args: string[]) => execFileSync('git', [...who, ...args], { cwd: source, encoding: 'utf8' }).trim()
    git('init', '-q', '-b', 'main')
    writeFileSync(join(source, 'Dockerfile'), 'FROM scratch\n')
    git('add', '.')
    git('commit', '-q', '-m', 'first')
    head = git('rev-parse', 'HEAD')
    git('clone', '-q', '--bare', source, join(folder, 'web.git'))
    repository = `${server.address}${join(folder, 'web.git')}`
  })
  after(async () => {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const run = (login: Record<string, string>, env: Record<string, string> = {}) =>
    runClone(folder, { REPOSITORY: repository, ...env }, login)

  it('reads it with the deploy key, says whose host key it met, and leaves no private key', async () => {
    const { code, output, said, place } = await run(loginOf(own))
    expect(code, output).to.equal(0)
    const { revision, hosts } = JSON.parse(said) as { revision: string; hosts: string }
    expect(revision).to.equal(head)
    expect(server.hostLine()).to.contain(Buffer.from(hosts, 'base64').toString().trim())
    expect(readFileSync(join(place, 'work', 'src', 'Dockerfile'), 'utf8')).to.equal('FROM scratch\n')
    expect([existsSync(join(place, 'home', 'key')), existsSync(join(place, 'work', 'src', '.git'))]).to.deep.equal([
      false,
      false,
    ])
    const [, line = ''] = own.secret.split('\n')
    expect(spawnSync('grep', ['-rl', line, join(place, 'work')], { encoding: 'utf8' }).stdout).to.equal('')
    expect(output).not.to.contain(line)
  })

  it('reads it when the host key is the known one, and says no host key then', async () => {
    const { code, said } = await run(loginOf(own, server.hostLine()), { KNOWN_REVISION: head })
    expect([code, said]).to.deep.equal([0, `{"revision":"${head}","reused":true}`])
  })

  const refusals: [
    what: string,
    login: () => Record<string, string>,
    env: () => Record<string, string>,
    why: RegExp,
  ][] = [
    [
      'another key',
      () => loginOf(newPair()),
      () => ({}),
      /^the git server refuses the ssh key: its public half has to be a key of the repository$/,
    ],
    [
      'another host key than the known one',
      () => loginOf(own, `${server.hostLine().split(' ')[0] ?? ''} ${newPair().shown}\n`),
      () => ({}),
      /^the host key of the git server is not the one that is known$/,
    ],
    [
      'a repository that is not there',
      () => loginOf(own),
      () => ({ REPOSITORY: `${server.address}${join(folder, 'none.git')}` }),
      /^the repository was not found, or needs a login$/,
    ],
    [
      'a branch that is not there',
      () => loginOf(own),
      () => ({ BRANCH: 'gone' }),
      /^the repository has no branch gone$/,
    ],
    [
      'what is no key',
      () => ({ [deployKeyFields.secret]: 'no key at all' }),
      () => ({}),
      /^the git server refuses the ssh key/,
    ],
  ]
  for (const [what, login, env, why] of refusals)
    it(`refuses ${what} with a sentence`, async () => {
      const { code, said } = await run(login(), env())
      expect(said).to.match(why)
      expect(code).to.equal(1)
    })

  it('says that a server is not there', async () => {
    const { said } = await run(loginOf(own), { REPOSITORY: `ssh://git@127.0.0.1:${await freePort()}/web.git` })
    expect(said).to.match(
      /^the git server does not answer: ssh: connect to host 127\.0\.0\.1 port \d+: Connection refused$/,
    )
  })
})
