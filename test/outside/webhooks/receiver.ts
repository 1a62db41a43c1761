/** A real HTTP server on loopback that receives webhooks; it keeps each message and answers as the test sets. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
  /** Its `webhook-id`. */
  id: string
}

export interface TestReceiver {
  readonly url: string
  readonly port: number
  readonly received: Received[]
  /** Sets the answer; 204 at first. */
  answer(reply: (response: ServerResponse) => void): void
  /** Refuses connections until `listen`, on the same port. */
  stop(): Promise<void>
  listen(): Promise<void>
}

export async function startReceiver(path = '/hook'): Promise<TestReceiver> {
  const received: Received[] = []
  let reply = (response: ServerResponse): void => void response.writeHead(204).end()
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer) // no encoding is set
    received.push({
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
      id: String(request.headers['webhook-id']),
    })
    reply(response)
  }
  const server = createServer((request, response) => {
    // A sender that is killed while it sends leaves half a request.
    take(request, response).catch(() => response.destroy())
  })
  let port = 0
  const listen = () =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', resolve)
    })
  await listen()
  port = (server.address() as AddressInfo).port // a TCP server has one
  return {
    url: `http://127.0.0.1:${port}${path}`,
    port,
    received,
    answer: (next) => {
      reply = next
    },
    stop: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
    listen,
  }
}
