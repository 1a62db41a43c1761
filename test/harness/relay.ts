/** A port that hands each connection to a server that listens elsewhere, for a server that can be had late. */
import { connect, createServer } from 'node:net'
import { pipeline } from 'node:stream'

export interface Relay {
  close(): Promise<void>
}

export async function startRelay(port: number, { host, port: target }: { host: string; port: number }): Promise<Relay> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const onward = connect({ host, port: target, allowHalfOpen: true })
    // Either side may go at any time; its peer goes with it.
    pipeline(socket, onward, socket, () => undefined)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })
  return { close: () => new Promise((resolve) => server.close(() => resolve())) }
}
