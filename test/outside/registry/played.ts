/**
 * Registries on loopback addresses that count as public, private or reserved in tests: no request leaves the machine.
 */
import { once } from 'node:events'
import {
  createServer as createPlainServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Reach } from '../../../outside/addresses.ts'
import { createRegistries, type RegistrySettings } from '../../../outside/registry/registry.ts'
import { makeAuthority } from '../../harness/dashboard-endpoint.ts'

export const digest = `sha256:${'d'.repeat(64)}`
export const patient = 15_000

/**
 * 127.0.1.x counts as public, 127.0.3.x as reserved (metadata of a cloud); the rest of loopback is private as usual.
 */
const playedReach = (address: string): Reach => {
  if (address.startsWith('127.0.1.')) return 'public'
  return /^127\.0\.[0-2]\./.test(address) ? 'private' : 'reserved'
}

export interface PlayedHost {
  /** `name.play.test:port` as in references; an address where it has no name. */
  host: string
  /** Method, path and Authorization of each received request. */
  readonly asked: readonly string[]
  /** Sets the answers; at first it is a registry that has every image. */
  answer(reply: Reply): void
}

type Reply = (request: IncomingMessage, response: ServerResponse) => void

export interface PlayedNetwork {
  /** Listens at an address under `<name>.play.test`, with a certificate. */
  listen(name: string, address: string): Promise<PlayedHost>
  /** Listens without encryption, at 127.0.0.1. */
  listenPlain(): Promise<PlayedHost>
  /** Sets the addresses of a name: one list for each lookup in order, the last one for all further lookups. */
  resolveTo(name: string, ...questions: (readonly string[])[]): void
  registries(settings?: RegistrySettings): ReturnType<typeof createRegistries>
  stop(): Promise<void>
}

const hasIt: Reply = (_, response) => void response.writeHead(200, { 'docker-content-digest': digest }).end()

export async function playNetwork(): Promise<PlayedNetwork> {
  const authority = await makeAuthority()
  const identity = await authority.issue('*.play.test')
  const names = new Map<string, (readonly string[])[]>()
  const servers: Server[] = []

  async function start(
    make: (listener: RequestListener) => Server,
    address: string,
    hostOf: (port: number) => string,
  ): Promise<PlayedHost> {
    const asked: string[] = []
    let reply = hasIt
    const server = make((request, response) => {
      asked.push([request.method, request.url, request.headers.authorization].join(' ').trim())
      reply(request, response)
    })
    servers.push(server)
    server.listen(0, address)
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo // listens on TCP, so it has one
    return {
      host: hostOf(port),
      asked,
      answer: (next) => {
        reply = next
      },
    }
  }
  return {
    async listen(name, address) {
      names.set(`${name}.play.test`, [[address]])
      return start(
        (listener) => createServer(identity, listener),
        address,
        (port) => `${name}.play.test:${port}`,
      )
    },
    listenPlain: () =>
      start(
        (listener) => createPlainServer(listener),
        '127.0.0.1',
        (port) => `127.0.0.1:${port}`,
      ),
    resolveTo: (name, ...questions) => void names.set(`${name}.play.test`, questions),
    registries: (settings = {}) =>
      createRegistries({
        timeoutMs: patient,
        reach: playedReach,
        ca: authority.pem,
        resolve: async (host) => {
          const [next, ...later] = names.get(host) ?? (host === 'localhost' ? [['127.0.0.1']] : [])
          if (next === undefined) throw new Error(`getaddrinfo ENOTFOUND ${host}`)
          if (later.length > 0) names.set(host, later)
          return next
        },
        ...settings,
      }),
    async stop() {
      for (const server of servers) server.closeAllConnections()
      await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
      await authority.forget()
    },
  }
}
