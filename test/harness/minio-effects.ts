/** A proxy in front of a MinIO that reports each change before it reaches the server and after it took effect. */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Moment = 'before' | 'after'

export interface EffectProxy {
  /** `http://host:port`; signatures stay valid, since `Host` is forwarded. */
  readonly url: string
  /** `http://host:port` of the server itself. */
  target: string
  close(): Promise<void>
}

/**
 * `meet` receives `PUT add-user`, `PUT bucket`, `PUT bucket tagging`, `DELETE remove-user`, … and decides whether the
 * connection breaks there, so that the caller gets no answer.
 */
export async function startEffectProxy(
  meet: (effect: string, moment: Moment) => Promise<boolean>,
): Promise<EffectProxy> {
  const server = createServer((asked, answer) => void pass(asked, answer))
  const proxy: EffectProxy = {
    url: '',
    target: '',
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  const pass = async (asked: IncomingMessage, answer: ServerResponse): Promise<void> => {
    const effect = effectOf(asked)
    if (effect !== '' && (await meet(effect, 'before'))) return void answer.destroy()
    const sent = request(new URL(asked.url ?? '/', proxy.target), { method: asked.method, headers: asked.headers })
    sent.on('error', () => answer.destroy())
    sent.on('response', (got) => void passBack(got))
    const passBack = async (got: IncomingMessage): Promise<void> => {
      const body = Buffer.concat(await got.toArray())
      if (effect !== '' && (await meet(effect, 'after'))) return void answer.destroy()
      answer.writeHead(got.statusCode ?? 500, got.headers).end(body)
    }
    asked.pipe(sent)
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A TCP server has one.
  return Object.assign(proxy, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
}

/** '' for a request without a change. */
function effectOf({ method = '', url = '' }: IncomingMessage): string {
  if (method === 'GET' || method === 'HEAD') return ''
  const { pathname, searchParams } = new URL(url, 'http://any')
  const call = pathname.startsWith('/minio/admin/')
    ? pathname.split('/').at(-1)
    : `bucket${searchParams.has('tagging') ? ' tagging' : ''}`
  return `${method} ${call}`
}
