/** How a login at an external server is tried: encrypted as its owner wants it, and never at a link-local address. */
import { once } from 'node:events'
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Reach } from '../../../outside/addresses.ts'
import type { LoginAt, SslMode } from '../../../outside/databases/connect.ts'
import { tryLogin } from '../../../outside/databases/login.ts'
import { makeAuthority, type TestAuthority } from '../../harness/dashboard-endpoint.ts'
import { type Engine, engineWithinMs, startMariadb, startPostgres } from '../../harness/engines.ts'

const withinMs = 10_000
const name = 'db.play.test'
/** The user that runs the engines of tests. */
const nobody = 65534
const resolve = async () => ['127.0.0.1']
const as = (reach: Reach) => ({ resolve, reach: () => reach })

describe('A login at a database server elsewhere', function () {
  this.timeout(4 * engineWithinMs)
  let authority: TestAuthority
  let folder: string
  const secure: Partial<Record<'postgres' | 'mysql', Engine>> = {}
  const plain: Partial<Record<'postgres' | 'mysql', Engine>> = {}

  before(async () => {
    authority = await makeAuthority()
    folder = await mkdtemp(join(tmpdir(), 'svc-login-'))
    await chmod(folder, 0o755)
    const identity = await authority.issue(name)
    for (const [file, text] of [
      ['key', identity.key],
      ['cert', identity.cert],
    ] as const) {
      const path = join(folder, file)
      await writeFile(path, text, { mode: 0o600 })
      if (process.getuid?.() === 0) await chown(path, nobody, nobody)
    }
    const [key, cert] = [join(folder, 'key'), join(folder, 'cert')]
    secure.postgres = await startPostgres(['ssl=on', `ssl_key_file=${key}`, `ssl_cert_file=${cert}`])
    secure.mysql = await startMariadb([`--ssl-key=${key}`, `--ssl-cert=${cert}`])
    plain.postgres = await startPostgres()
    plain.mysql = await startMariadb(['--skip-ssl'])
  })
  after(async () => {
    for (const engine of [...Object.values(secure), ...Object.values(plain)]) await engine.stop()
    await authority.forget()
    await rm(folder, { recursive: true, force: true })
  })

  /** '' when the server accepts the login. */
  async function said(
    engine: 'postgres' | 'mysql',
    server: Engine | undefined,
    tls: LoginAt['tls'],
    host = name,
    reach: Reach = 'private',
  ) {
    const { port, admin } = server ?? expect.fail('no server')
    const at = {
      host,
      port,
      database: engine === 'postgres' ? 'postgres' : '',
      ...admin,
      ...(tls === undefined ? {} : { tls }),
    }
    return tryLogin(engine, at, withinMs, as(reach)).then(
      () => '',
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    )
  }
  const invalid = `no secure connection to ${name}: its certificate is not valid`
  const none = `no secure connection to ${name}: it has none; put sslmode beside the password`

  for (const engine of ['postgres', 'mysql'] as const) {
    const rows: readonly (readonly [SslMode | undefined, boolean, string, string])[] = [
      // mode, with the authority, result with a server that has a certificate, with one that has none
      [undefined, false, '', ''],
      ['disable', false, '', ''],
      ['prefer', false, '', ''],
      ['require', false, '', none],
      ['verify-ca', false, invalid, none],
      ['verify-ca', true, '', none],
      ['verify-full', false, invalid, none],
      ['verify-full', true, '', none],
    ]
    for (const [mode, trusted, withTls, without] of rows) {
      it(`${engine}, sslmode ${mode ?? 'not given'}${trusted ? ' with its authority' : ''}`, async () => {
        const tls = { ...(mode === undefined ? {} : { mode }), ...(trusted ? { ca: authority.pem } : {}) }
        expect(
          (await said(engine, secure[engine], tls)).slice(0, withTls === '' ? undefined : invalid.length),
        ).to.equal(withTls)
        expect(await said(engine, plain[engine], tls)).to.equal(without)
      })
    }

    it(`${engine}: a host with a public address gets no password before its certificate is valid, unless its owner says so`, async () => {
      expect(await said(engine, secure[engine], undefined, name, 'public')).to.include(invalid)
      expect(await said(engine, plain[engine], undefined, name, 'public')).to.equal(none)
      expect(await said(engine, secure[engine], { ca: authority.pem }, name, 'public')).to.equal('')
      expect(await said(engine, plain[engine], { mode: 'disable' }, name, 'public')).to.equal('')
    })

    it(`${engine}: a name that resolves only at the second try gets no password`, async () => {
      const { port, admin } = secure[engine] ?? expect.fail('no server')
      const at = { host: name, port, database: engine === 'postgres' ? 'postgres' : '', ...admin }
      let tries = 0
      const late = async () => {
        if ((tries += 1) === 1) throw Object.assign(new Error('try again'), { code: 'EAI_AGAIN' })
        return ['127.0.0.1']
      }
      const error: unknown = await tryLogin(engine, at, withinMs, { ...as('public'), resolve: late }).catch(
        (reason: unknown) => reason,
      )
      expect(error).to.include({ message: `${name} does not answer on port ${port}: EAI_AGAIN`, passing: true })
    })

    it(`${engine}: the connection goes to the addresses by which its mode was chosen`, async () => {
      const { port, admin } = plain[engine] ?? expect.fail('no server')
      const at = { host: name, port, database: engine === 'postgres' ? 'postgres' : '', ...admin }
      const answers = [['127.0.0.1']]
      await tryLogin(engine, at, withinMs, { ...as('private'), resolve: async () => answers.shift() ?? [] })
    })

    it(`${engine}: a certificate for another host is valid for verify-ca only`, async () => {
      const tls = { ca: authority.pem }
      expect(await said(engine, secure[engine], { ...tls, mode: 'verify-full' }, 'other.play.test')).to.include(
        'its certificate is not valid',
      )
      expect(await said(engine, secure[engine], { ...tls, mode: 'verify-ca' }, 'other.play.test')).to.equal('')
    })

    it(`${engine}: a server that sends one byte and no more times out`, async () => {
      const mute = createServer((socket) => socket.on('error', () => undefined).write('x')).listen(0, '127.0.0.1')
      await once(mute, 'listening')
      const { port } = mute.address() as AddressInfo // listens on TCP, so it has a port
      const at = { host: name, port, database: 'x', username: 'x', password: 'x', tls: { mode: 'disable' as const } }
      const error: unknown = await tryLogin(engine, at, 300, as('private')).catch((reason: unknown) => reason)
      expect(String(error)).to.match(/ does not answer on port \d+: (?!Error$)/)
      mute.close()
    })

    it(`${engine}: a server that closes the connection is said to have done so`, async () => {
      const curt = createServer((socket) => socket.on('error', () => undefined).end()).listen(0, '127.0.0.1')
      await once(curt, 'listening')
      const { port } = curt.address() as AddressInfo // listens on TCP, so it has a port
      const at = { host: name, port, database: 'x', username: 'x', password: 'x', tls: { mode: 'disable' as const } }
      const error: unknown = await tryLogin(engine, at, withinMs, as('private')).catch((reason: unknown) => reason)
      expect(String(error)).to.match(
        / does not answer on port \d+: (Connection terminated unexpectedly|PROTOCOL_CONNECTION_LOST)$/,
      )
      curt.close()
    })

    it(`${engine}: what is at a link-local address is not connected to, by a name or literally`, async () => {
      let connections = 0
      const server = createServer((socket) => {
        connections += 1
        socket.destroy()
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo // listens on TCP, so it has a port
      for (const host of [name, '127.0.0.1']) {
        const at = {
          host,
          port,
          database: 'x',
          username: 'x',
          password: 'secret-word',
          tls: { mode: 'disable' as const },
        }
        const error: unknown = await tryLogin(engine, at, withinMs, as('reserved')).catch((reason: unknown) => reason)
        expect(String(error)).to.include(`${host} does not answer on port ${port}`).and.not.include('secret-word')
      }
      expect(connections).to.equal(0)
      server.close()
    })
  }
})
