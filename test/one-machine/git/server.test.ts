/** The git server of one machine, by git itself: clones, pushes, and what it refuses. */
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect } from 'chai'
import { Agent, request } from 'undici'
import { eventually } from '../temporary.ts'
import { hostAddress, secret, useGitMachine } from './git-machine.ts'

/** Empty for a process that has ended. */
function environmentOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    return ''
  }
}

describe('the git server of one machine', function () {
  this.timeout(60_000)
  const machine = useGitMachine()

  it('has the sample at both addresses, to clone without a login by a client that trusts its authority', async () => {
    const trusting = ['-c', `http.sslCAInfo=${machine.authority.file}`]
    await machine.git(machine.files, ...trusting, 'clone', '-q', machine.server.sample, 'pods')
    await machine.git(
      machine.files,
      ...trusting,
      'clone',
      '-q',
      machine.server.sample.replace(hostAddress, '127.0.0.1'),
      'mine',
    )
    for (const work of ['pods', 'mine'])
      expect(readdirSync(join(machine.files, work)).toSorted()).to.deep.equal([
        '.git',
        'Dockerfile',
        'README.md',
        'server.mjs',
      ])
    const unknown = await machine
      .git(machine.files, 'clone', '-q', machine.server.sample, 'other')
      .catch((error: Error) => error.message)
    expect(unknown).to.match(/certificate verification failed/)
  })

  it('fetches one commit by its ID, as a build that waited for its checks does', async () => {
    const work = await machine.clone('work')
    const first = await machine.git(work, 'rev-parse', 'HEAD')
    await machine.commit(work, 'second')
    await machine.git(work, 'push', '-q')
    await machine.git(machine.files, 'init', '-q', 'build')
    await machine.git(
      join(machine.files, 'build'),
      '-c',
      `http.sslCAInfo=${machine.authority.file}`,
      'fetch',
      '-q',
      '--depth',
      '1',
      machine.server.sample,
      first,
    )
    expect(await machine.git(join(machine.files, 'build'), 'rev-parse', 'FETCH_HEAD')).to.equal(first)
  })

  it('accepts a push with the token and refuses any other', async () => {
    const work = await machine.clone('work')
    const head = await machine.commit(work, 'changed')
    await machine.git(work, 'push', '-q')
    expect(await machine.git(work, 'ls-remote', 'origin', 'refs/heads/main')).to.match(new RegExp(`^${head}`))
    const url = machine.server.sample
    for (const login of ['', 'svc:wrong@', 'svc:@']) {
      const address = url.replace('https://', `https://${login}`)
      const refused = machine.git(
        work,
        '-c',
        `http.sslCAInfo=${machine.authority.file}`,
        '-c',
        'credential.helper=',
        'push',
        address,
        'HEAD~1:refs/heads/main',
      )
      expect(await refused.then(String, (error: Error) => error.message), login).to.match(
        /Authentication failed|could not read/,
      )
    }
    expect(await machine.git(work, 'ls-remote', 'origin', 'refs/heads/main')).to.match(new RegExp(`^${head}`))
  })

  it('shows no file by the older protocol, nothing beside its repositories, and no other method', async () => {
    const base = machine.server.sample.replace(/\/sample\.git$/, '')
    const dispatcher = new Agent({ connect: { ca: machine.authority.pem } })
    const codes: [string, number][] = []
    const ask = async (path: string, method: 'GET' | 'POST' = 'GET', headers = {}) => {
      const { statusCode, body } = await request(`${base}${path}`, { method, dispatcher, headers })
      await body.dump()
      codes.push([`${method} ${path}`, statusCode])
    }
    const basic = `Basic ${Buffer.from('svc:wrong').toString('base64')}`
    await ask('/sample.git/info/refs')
    await ask('/sample.git/HEAD')
    await ask('/sample.git/config')
    await ask('/sample.git/../../token')
    await ask('/sample.git/%2e%2e/%2e%2e/token')
    await ask('/other.git/info/refs?service=git-upload-pack')
    await ask('/sample.git/info/refs?service=git-upload-archive')
    await ask('/sample.git/git-upload-pack')
    await ask('/sample.git/info/refs?service=git-receive-pack')
    await ask('/sample.git/git-receive-pack', 'POST', { authorization: basic })
    await ask('/none.git/git-receive-pack', 'POST')
    await ask('/sample.git/info/refs?service=git-upload-pack')
    for (const path of ['//', '/\\', '/%'])
      codes.push([path, (await dispatcher.request({ origin: base, path, method: 'GET' })).statusCode])
    expect(codes.map(([, code]) => code)).to.deep.equal([
      404, 404, 404, 404, 404, 404, 404, 404, 401, 401, 401, 200, 404, 404, 404,
    ])
    await dispatcher.close()
  })

  it('keeps the token and the secret of the webhook in files that its user alone reads', async () => {
    await machine.server.deploy('sample', 'web', secret)
    for (const file of ['token', 'credentials', 'client.gitconfig', 'webhooks/sample.json'])
      expect(statSync(join(machine.folder, file)).mode & 0o777, file).to.equal(0o600)
    const work = await machine.clone('work')
    const token = readFileSync(join(machine.folder, 'token'), 'utf8').trim()
    expect(readFileSync(join(work, '.git/config'), 'utf8')).not.to.contain(token)
    expect(machine.server.cloneCommand).not.to.contain(token)
  })

  it('says why a request failed that git did not answer', async () => {
    const dispatcher = new Agent({ connect: { ca: machine.authority.pem } })
    const path = process.env['PATH'] ?? ''
    process.env['PATH'] = ''
    try {
      const { statusCode, body } = await request(`${machine.server.sample}/info/refs?service=git-upload-pack`, {
        dispatcher,
      })
      await body.dump()
      expect(statusCode).to.equal(500)
    } finally {
      process.env['PATH'] = path
      await dispatcher.close()
    }
    expect(machine.said.join('\n')).to.match(/^a request to the repository sample failed: .*git/)
  })

  it('leaves no half-made sample, and keeps what is there', async () => {
    const work = await machine.clone('work')
    await machine.commit(work, 'mine')
    await machine.git(work, 'push', '-q')
    const { port } = new URL(machine.server.sample)
    await machine.server.stop()
    mkdirSync(join(machine.folder, 'repositories/.new-killed'))
    await machine.start()
    expect(existsSync(join(machine.folder, 'repositories/.new-killed'))).to.equal(false)
    expect(new URL(machine.server.sample).port, 'the same port').to.equal(port)
    const again = await machine.clone('again')
    expect(readFileSync(join(again, 'server.mjs'), 'utf8')).to.equal('mine')
  })

  it('ends its programs when it stops in the middle of a push', async () => {
    const dispatcher = new Agent({ connect: { ca: machine.authority.pem } })
    const { port } = new URL(machine.server.sample)
    // A push that does not end: the program behind it goes on reading.
    const login = `Basic ${Buffer.from(`svc:${readFileSync(join(machine.folder, 'token'), 'utf8').trim()}`).toString('base64')}`
    const body = new PassThrough()
    body.write('00')
    const open = request(`https://127.0.0.1:${port}/sample.git/git-receive-pack`, {
      method: 'POST',
      dispatcher,
      headers: { authorization: login, 'content-type': 'application/x-git-receive-pack-request' },
      body,
    }).catch(() => undefined)
    const programs = () =>
      readdirSync('/proc').filter(
        (pid) => /^\d+$/.test(pid) && environmentOf(pid).includes(join(machine.folder, 'repositories')),
      )
    await eventually(() => programs().length > 0)
    await machine.server.stop()
    await eventually(() => programs().length === 0)
    await open
    await dispatcher.destroy()
  })
})
