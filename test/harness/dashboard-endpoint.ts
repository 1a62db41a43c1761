/**
 * A TLS endpoint on loopback under a name that the test chooses, with a certificate of an authority that the test
 * makes.
 */
import { execFile } from 'node:child_process'
import { readFile, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { createServer, type ServerOptions } from 'node:https'
import type { ServerResponse } from 'node:http'
import { type AddressInfo, isIP } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface TestAuthority {
  /** PEM file for `NODE_EXTRA_CA_CERTS`. */
  readonly file: string
  readonly pem: string
  /** Key and certificate for hosts, names or addresses, valid for a day. */
  issue(...hosts: string[]): Promise<{ key: Buffer; cert: Buffer }>
  forget(): Promise<void>
}

export async function makeAuthority(): Promise<TestAuthority> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-authority-'))
  const at = (name: string) => join(folder, name)
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']
  await run('openssl', [
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    at('ca.key'),
    '-out',
    at('ca.crt'),
    '-days',
    '1',
    '-subj',
    '/CN=test authority',
  ])
  return {
    file: at('ca.crt'),
    pem: await readFile(at('ca.crt'), 'utf8'),
    async issue(...hosts) {
      await run('openssl', ['req', ...newKey, '-keyout', at('host.key'), '-out', at('host.csr'), '-subj', '/CN=test'])
      await writeFile(
        at('host.ext'),
        `subjectAltName=${hosts.map((host) => `${isIP(host) === 0 ? 'DNS' : 'IP'}:${host}`).join(',')}\n`,
      )
      const authority = ['-CA', at('ca.crt'), '-CAkey', at('ca.key'), '-CAcreateserial']
      await run('openssl', [
        'x509',
        '-req',
        '-in',
        at('host.csr'),
        ...authority,
        '-days',
        '1',
        '-extfile',
        at('host.ext'),
        '-out',
        at('host.crt'),
      ])
      return { key: await readFile(at('host.key')), cert: await readFile(at('host.crt')) }
    },
    forget: () => rm(folder, { recursive: true, force: true }),
  }
}

export interface TestEndpoint {
  readonly port: number
  /** Number of requests received. */
  readonly asked: number
  /** Sets the answer; at first it answers as the dashboard does. */
  answer(reply: (response: ServerResponse) => void): void
  /** Sets the certificate that it presents. */
  present(identity: Pick<ServerOptions, 'key' | 'cert'>): void
  stop(): Promise<void>
}

export const asDashboard = (response: ServerResponse): void =>
  void response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ ok: true, service: 'svc-dashboard' }))

export async function startEndpoint(identity: Pick<ServerOptions, 'key' | 'cert'>): Promise<TestEndpoint> {
  let reply = asDashboard
  let asked = 0
  const server = createServer(identity, (request, response) => {
    asked += 1
    if (request.url === '/svc-probe') reply(response)
    else response.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // listens on TCP, so it has one
  return {
    port,
    get asked() {
      return asked
    },
    answer: (next) => {
      reply = next
    },
    present: (next) => server.setSecureContext({ key: next.key, cert: next.cert }),
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}
