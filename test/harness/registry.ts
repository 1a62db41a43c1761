/** A real image registry on loopback, open or behind one of the two kinds of login that registries require. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../one-machine/processes/index.ts'
import { testServer } from './servers.ts'

export interface TestRegistry {
  /** `127.0.0.1:port`, as in image references. */
  address: string
  /** Pushes an image without layers that contains `content`; resolves with its digest. */
  push(repository: string, tag: string, content: string): Promise<string>
  stop(): Promise<void>
}

export type LoginKind = 'open' | 'basic' | 'token'

export const registryLogin = { username: 'puller', password: 'registry-test' }
/** bcrypt of the password above: the only scheme that the registry accepts in a file. */
const htpasswd = 'puller:$2y$05$abcdefghijklmnopqrstuujed4HrDNXEIkguQ7k7wh1O2h6/GC./a\n'
const upWithinMs = 20_000

export async function startRegistry(kind: LoginKind = 'open', port?: number): Promise<TestRegistry> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-registry-'))
  const program = await testServer('registry')
  const tokens = kind === 'token' ? await startTokens(folder) : undefined
  const address = `127.0.0.1:${port ?? (await freePort())}`
  await writeFile(join(folder, 'users'), htpasswd)
  const auth = {
    open: {},
    basic: { auth: { htpasswd: { realm: 'test', path: join(folder, 'users') } } },
    token: { auth: { token: tokens?.settings } },
  }[kind]
  const config = {
    version: 0.1,
    log: { level: 'error', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: join(folder, 'data') }, delete: { enabled: true } },
    http: { addr: address },
    ...auth,
  }
  await writeFile(join(folder, 'config.json'), JSON.stringify(config))
  const child = spawn(program, ['serve', join(folder, 'config.json')], {
    stdio: 'ignore',
    env: { ...process.env, OTEL_TRACES_EXPORTER: 'none' },
  })
  await answers(`http://${address}/v2/`, child)
  const authorize = (repository: string) =>
    ({
      open: '',
      basic: `Basic ${Buffer.from(`${registryLogin.username}:${registryLogin.password}`).toString('base64')}`,
      token: `Bearer ${tokens?.issue(repository, ['pull', 'push']) ?? ''}`,
    })[kind]
  return {
    address,
    push: (repository, tag, content) => push(`http://${address}/v2/${repository}`, tag, content, authorize(repository)),
    async stop() {
      tokens?.server.close()
      if (child.exitCode === null && child.signalCode === null) {
        const gone = once(child, 'exit')
        child.kill('SIGKILL')
        await gone
      }
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  const late = Date.now() + upWithinMs
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the registry ended with ${child.exitCode}`)
    const up = await fetch(url).then(
      () => true,
      () => false,
    )
    if (up) return
    if (Date.now() > late) throw new Error('the registry does not answer')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function push(base: string, tag: string, content: string, authorization: string): Promise<string> {
  const headers: Record<string, string> = authorization === '' ? {} : { authorization }
  const config = Buffer.from(
    JSON.stringify({
      architecture: 'amd64',
      os: 'linux',
      config: { Env: [content] },
      rootfs: { type: 'layers', diff_ids: [] },
    }),
  )
  const opened = await fetch(`${base}/blobs/uploads/`, { method: 'POST', headers })
  const upload = new URL(opened.headers.get('location') ?? '', base)
  upload.searchParams.set('digest', digestOf(config))
  await expectStatus(
    await fetch(upload, {
      method: 'PUT',
      headers: { ...headers, 'content-type': 'application/octet-stream' },
      body: config,
    }),
    201,
  )
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: 'application/vnd.oci.image.manifest.v1+json',
      config: { mediaType: 'application/vnd.oci.image.config.v1+json', digest: digestOf(config), size: config.length },
      layers: [],
    }),
  )
  const type = 'application/vnd.oci.image.manifest.v1+json'
  await expectStatus(
    await fetch(`${base}/manifests/${tag}`, {
      method: 'PUT',
      headers: { ...headers, 'content-type': type },
      body: manifest,
    }),
    201,
  )
  return digestOf(manifest)
}

async function expectStatus(answer: Response, status: number): Promise<void> {
  if (answer.status !== status) throw new Error(`the registry answered ${answer.status}: ${await answer.text()}`)
}

const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`

interface Tokens {
  server: Server
  settings: object
  issue(repository: string, actions: readonly string[]): string
}

/** The token service of a registry: returns a token for the right password, to pull or for what else is asked. */
async function startTokens(folder: string): Promise<Tokens> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const kid = randomBytes(8).toString('hex')
  await writeFile(
    join(folder, 'jwks.json'),
    JSON.stringify({ keys: [{ ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' }] }),
  )
  const issue = (repository: string, actions: readonly string[]) =>
    jwt(privateKey, kid, [{ type: 'repository', name: repository, actions }])
  const wanted = `Basic ${Buffer.from(`${registryLogin.username}:${registryLogin.password}`).toString('base64')}`
  const server = createServer((request, response) => {
    const [, repository = '', actions = ''] =
      /^repository:([^:]+):(.*)$/.exec(
        new URL(request.url ?? '', 'http://localhost').searchParams.get('scope') ?? '',
      ) ?? []
    const allowed = request.headers.authorization === wanted
    response
      .writeHead(allowed ? 200 : 401, { 'content-type': 'application/json' })
      .end(allowed ? JSON.stringify({ token: issue(repository, actions.split(',')) }) : '{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // listens on TCP, so it has one
  const settings = {
    realm: `http://127.0.0.1:${port}/token`,
    service: 'test',
    issuer: 'tests',
    jwks: join(folder, 'jwks.json'),
    signingalgorithms: ['RS256'],
  }
  return { server, settings, issue }
}

function jwt(key: KeyObject, kid: string, access: readonly object[]): string {
  const now = Math.floor(Date.now() / 1000)
  const claims = {
    iss: 'tests',
    sub: 'puller',
    aud: 'test',
    iat: now,
    nbf: now - 60,
    exp: now + 600,
    jti: randomBytes(8).toString('hex'),
    access,
  }
  const text = [{ alg: 'RS256', typ: 'JWT', kid }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')
  return `${text}.${sign('sha256', Buffer.from(text), key).toString('base64url')}`
}
