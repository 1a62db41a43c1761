/**
 * A peer on loopback that records every byte it receives: it refuses HTTP requests, and asks PostgreSQL clients for a
 * plain password.
 */
import { once } from 'node:events'
import { createServer, type Socket, type AddressInfo } from 'node:net'

export interface Recorder {
  readonly port: number
  readonly url: string
  /** All bytes from all connections. */
  received(): string
  stop(): Promise<void>
}

const sslRequestBytes = 8
/** AuthenticationCleartextPassword of PostgreSQL's protocol. */
const plainPassword = Buffer.from([0x52, 0, 0, 0, 8, 0, 0, 0, 3])

export async function startRecorder(): Promise<Recorder> {
  const pieces: Buffer[] = []
  const open = new Set<Socket>()
  const server = createServer((socket) => {
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.on('data', (piece: Buffer) => {
      pieces.push(piece)
      answer(socket, piece)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // the server listens on TCP
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    received: () => Buffer.concat(pieces).toString('latin1'),
    async stop() {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function answer(socket: Socket, piece: Buffer): void {
  if (/^[A-Z]+ \//.test(piece.toString('latin1', 0, 16)))
    socket.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
  else if (piece.length === sslRequestBytes) socket.write('N')
  else if (piece.includes('user\0')) socket.write(plainPassword)
  else socket.end()
}
