/** A registry that lets no image be pushed, by plain HTTP: for the tests of builds. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface RefusingRegistry {
  /**
   * `host:port`. Below `locked/` it takes no login (401); elsewhere any may read and none may push (403), and below
   * `sealed/` only the manifests are refused, at the end of a push.
   */
  address: string
  stop(): Promise<void>
}

export async function startRefusingRegistry(host: string): Promise<RefusingRegistry> {
  const server = createServer((asked, answer) => {
    const path = asked.url ?? '/'
    if (asked.headers.authorization === undefined || path.startsWith('/v2/locked/'))
      return refuse(answer.setHeader('www-authenticate', 'Basic realm="registry"'), 401, 'UNAUTHORIZED')
    if (path === '/v2/') return answer.end('{}')
    if (path.startsWith('/v2/sealed/') && path.includes('/blobs/uploads/')) return takeLayer(asked, answer)
    const reads = asked.method === 'GET' || asked.method === 'HEAD'
    return reads ? refuse(answer, 404, 'MANIFEST_UNKNOWN') : refuse(answer, 403, 'DENIED')
  })
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  const { port } = server.address() as AddressInfo // of a server that listens at a port
  return {
    address: `${host}:${port}`,
    stop: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

/** The steps of an upload: begin (POST), write (PATCH), end (PUT). */
function takeLayer(asked: IncomingMessage, answer: ServerResponse): void {
  const status = asked.method === 'PUT' ? 201 : 202
  asked.resume().on('end', () => answer.writeHead(status, { location: asked.url?.split('?')[0] ?? '' }).end())
}

function refuse(answer: ServerResponse, status: number, code: string): void {
  answer.writeHead(status, { 'content-type': 'application/json' })
  answer.end(JSON.stringify({ errors: [{ code, message: 'the registry says no' }] }))
}
