/** A real HTTP server with preset answers that records its requests, for tests of code that calls svc over HTTP. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Asked {
  method: string
  /** Without `/api/v1`, with the query. */
  path: string
  headers: IncomingHttpHeaders
  body: unknown
}

/** A JSON body, with or without a status, or a function that writes the response itself. */
export type Answer = { status?: number; json: unknown } | ((response: ServerResponse) => void)

export interface RecordedService {
  readonly url: string
  readonly asked: Asked[]
  /** For a route such as `GET /apps/web/status`: gives the answers one after the other and repeats the last one. */
  on(route: string, ...answers: Answer[]): void
  /** The requested routes, in the form in which they were registered. */
  routes(): string[]
  stop(): Promise<void>
}

export async function startRecordedService(): Promise<RecordedService> {
  const asked: Asked[] = []
  const answers = new Map<string, Answer[]>()
  const server = createServer((request, response) => {
    void receive(request).then((it) => {
      asked.push(it)
      give(response, nextOf(answers.get(`${it.method} ${it.path.split('?')[0]}`)))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // a server on TCP, so the address is not a path
    asked,
    on: (route, ...list) => void answers.set(route, list),
    routes: () => asked.map(({ method, path }) => `${method} ${path.split('?')[0]}`),
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function receive(request: IncomingMessage): Promise<Asked> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer) // without an encoding, chunks are buffers
  const text = Buffer.concat(chunks).toString('utf8')
  const path = (request.url ?? '').replace(/^\/api\/v1/, '')
  return {
    method: request.method ?? '',
    path,
    headers: request.headers,
    body: bodyOf(text, request.headers['content-type'] ?? ''),
  }
}

/** The value of JSON, the text of a form. */
function bodyOf(text: string, type: string): unknown {
  if (text === '') return undefined
  return type.startsWith('application/json') ? JSON.parse(text) : text
}

function nextOf(list: Answer[] | undefined): Answer {
  if (list === undefined) return { status: 404, json: { error: 'not found', code: 'not_found' } }
  const [first = { json: { ok: true } }] = list
  if (list.length > 1) list.shift()
  return first
}

function give(response: ServerResponse, answer: Answer): void {
  if (typeof answer === 'function') return answer(response)
  response.writeHead(answer.status ?? 200, { 'content-type': 'application/json' })
  response.end(JSON.stringify(answer.json))
}
