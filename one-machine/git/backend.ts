/** One request to a repository, answered by git's own program for HTTP (git-http-backend), which is a CGI program. */
import { spawn, type ChildProcessByStdio } from 'node:child_process'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Readable, Writable } from 'node:stream'
import { defined } from '../../contract/defined.ts'
import { commandLine } from '../processes/child.ts'

/** Characters of what git says on standard error that are kept. */
const reasonMax = 500

export interface BackendOptions {
  /** Contains the bare repositories. */
  readonly root: string
  /** The name of a user who signed in: git takes pushes of named users alone. */
  readonly user?: string
}

/**
 * Resolves when the program has ended; the answer is then written. Rejects with git's own reason where it answered
 * nothing, or cannot be started.
 */
export async function answerByGit(
  { root, user }: BackendOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'https://git')
  const header = (name: string): string => String(request.headers[name] ?? '')
  const [command, args] = commandLine({ command: 'git', args: ['http-backend'] })
  const program = spawn(command, args, {
    // Nothing of this process: settings of its user could name hooks.
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: root,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: request.method ?? '',
      PATH_INFO: pathname,
      QUERY_STRING: searchParams.toString(),
      CONTENT_TYPE: header('content-type'),
      HTTP_CONTENT_ENCODING: header('content-encoding'),
      GIT_PROTOCOL: header('git-protocol'),
      ...defined({ REMOTE_USER: user }),
    },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const ended = new Promise<void>((resolve, reject) => {
    program.once('error', reject)
    program.once('close', () => resolve())
  })
  response.once('close', () => program.kill()) // the caller has gone, or everything is written
  program.stdin.on('error', () => undefined) // the program answers before it has read everything
  request.pipe(program.stdin)
  let reason = ''
  program.stderr.on('data', (chunk: Buffer) => {
    reason = `${reason}${chunk.toString()}`.slice(-reasonMax)
  })
  passOn(program, response)
  await ended
  if (response.destroyed) return // the caller has gone
  if (!response.headersSent) throw new Error(reason.trim().split('\n').at(-1) || 'git answered nothing')
  response.end()
}

/** The program writes the head of its answer first, as lines. */
function passOn({ stdout }: ChildProcessByStdio<Writable, Readable, Readable>, response: ServerResponse): void {
  let begun = Buffer.alloc(0)
  const onData = (chunk: Buffer): void => {
    begun = Buffer.concat([begun, chunk])
    const end = begun.indexOf('\r\n\r\n')
    if (end === -1) return
    stdout.off('data', onData)
    const { status, headers } = readHead(begun.subarray(0, end).toString('latin1'))
    response.writeHead(status, headers)
    response.write(begun.subarray(end + 4))
    stdout.pipe(response, { end: false })
  }
  stdout.on('data', onData)
}

function readHead(text: string): { status: number; headers: Record<string, string> } {
  const headers = Object.fromEntries(
    text.split('\r\n').map((line) => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  ) as Record<string, string>
  const { status = '200', ...others } = headers
  return { status: Number.parseInt(status, 10), headers: others }
}
