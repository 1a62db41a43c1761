/**
 * A small HTTP server that stands in for PlanetScale's API: databases that take time to become ready, branches, and
 * passwords that are returned only once.
 */
import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

interface Made {
  ready: boolean
  passwords: Map<string, { id: string; name: string }>
}

export interface PlanetScaleServer {
  endpoint: string
  databases: Map<string, Made>
  /** Answers every call with this status until it is unset. */
  refuseWith: number | undefined
  /** Closes the connection of the next such call after its effect, before the answer. */
  dropNext: 'POST' | 'DELETE' | undefined
  stop(): Promise<void>
}

/** A valid service token, for the only organization there. */
export const planetScaleKeys = { token: 'token-id:token-value', organization: 'our-org' } as const

export async function startPlanetScale(): Promise<PlanetScaleServer> {
  const databases = new Map<string, Made>()
  const answer = (method: string, path: string, body: string): [number, unknown] => {
    if (method === 'GET' && path === '') return [200, { name: planetScaleKeys.organization }]
    const [, name = '', branch, what, id = ''] =
      /^\/databases(?:\/([^/]+))?(?:\/branches\/(main))?(?:\/(passwords))?(?:\/([^/]+))?$/.exec(path) ?? []
    if (method === 'POST' && name === '') {
      const wanted = (JSON.parse(body) as { name: string }).name
      if (databases.has(wanted)) return [422, { code: 'unprocessable', message: 'Name has already been taken' }]
      databases.set(wanted, { ready: false, passwords: new Map() })
      return [201, { name: wanted, ready: false, default_branch: 'main' }]
    }
    const found = databases.get(name)
    if (found === undefined) return [404, { code: 'not_found', message: 'Not Found' }]
    if (what === 'passwords') return passwords(found, method, id, body)
    if (method === 'DELETE') {
      databases.delete(name)
      return [204, undefined]
    }
    const { ready } = found
    found.ready = true // ready at the second read
    return [200, branch === undefined ? { name, ready, default_branch: 'main' } : { name: branch, ready }]
  }
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const path = (request.url ?? '').replace(`/v1/organizations/${planetScaleKeys.organization}`, '')
      const known = request.headers.authorization === planetScaleKeys.token
      const [status, said] = !known
        ? [401, { message: 'unauthorized' }]
        : state.refuseWith !== undefined
          ? [state.refuseWith, { message: 'no' }]
          : answer(request.method ?? '', path, body)
      if (state.dropNext === request.method) {
        state.dropNext = undefined
        response.destroy()
      } else
        response
          .writeHead(status, { 'content-type': 'application/json' })
          .end(said === undefined ? '' : JSON.stringify(said))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const state: PlanetScaleServer = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, // a TCP server has one
    databases,
    refuseWith: undefined,
    dropNext: undefined,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return state
}

function passwords(found: Made, method: string, id: string, body: string): [number, unknown] {
  if (method === 'GET') return [200, { data: [...found.passwords.values()] }]
  if (method === 'DELETE') return found.passwords.delete(id) ? [204, undefined] : [404, { message: 'Not Found' }]
  const fresh = { id: randomBytes(4).toString('hex'), name: (JSON.parse(body) as { name: string }).name }
  found.passwords.set(fresh.id, fresh)
  return [
    201,
    {
      ...fresh,
      username: `user-${fresh.id}`,
      plain_text: `pscale_pw_${fresh.id}`,
      access_host_url: 'aws.connect.psdb.cloud',
    },
  ]
}
