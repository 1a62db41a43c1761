/** A request written byte by byte, as no conforming client sends it. */
import { connect } from 'node:net'

export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body when it is JSON, else undefined; each test knows the shape that it asked for. */
  readonly body: any // oxlint-disable-line typescript/no-explicit-any -- a test reads whatever came
}

const waitMs = 10_000

/**
 * Sends the text and reads until the server closes; the text should have `Connection: close`. An empty answer has
 * status 0.
 */
export async function rawRequest(port: number, text: string | Buffer): Promise<RawAnswer> {
  const received = await new Promise<string>((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.setTimeout(waitMs, () => socket.destroy(new Error('no end of the answer')))
    socket.on('data', (chunk) => chunks.push(chunk))
    // A server that answers before it has read everything resets the connection for the rest.
    socket.on('error', (error) => (chunks.length > 0 ? resolve(Buffer.concat(chunks).toString()) : reject(error)))
    socket.on('end', () => socket.end())
    socket.on('close', () => resolve(Buffer.concat(chunks).toString()))
  })
  const [head = '', ...rest] = received.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]),
  )
  const body = rest.join('\r\n\r\n')
  const isJson = (headers.get('content-type') ?? '').includes('json') && body !== ''
  return { status: Number(first.split(' ')[1] ?? 0), headers, text: body, body: isJson ? JSON.parse(body) : undefined }
}
