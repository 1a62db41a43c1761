/** `svc mcp` as a process whose streams the test holds itself, so that it can end them in the middle of a call. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { eventually } from '../cluster/eventually.ts'
import { stdioProgram } from './agent.ts'

interface Message {
  id?: number
  method?: string
  result?: unknown
}

export interface HeldProcess {
  /** Sends a call that wants to hear of progress; its answer, if one comes, is in `received`. */
  call(name: string, args: object): void
  readonly received: readonly Message[]
  /** Resolves when the first progress notification is there. */
  progress(): Promise<void>
  /** Closes the standard input, as an agent program does that ends or dies; answers how the process ended. */
  hangUp(): Promise<{ code: number | null; signal: string | null }>
}

const initialize = {
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'held', version: '1' } },
}
const endsWithinMs = 10_000

export async function startHeldProcess(baseUrl: string, token: string): Promise<HeldProcess> {
  const { command, args, env } = stdioProgram(baseUrl, token)
  const child = spawn(command, args, { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(child, 'close')
  const received: Message[] = []
  let rest = ''
  child.stdout.on('data', (chunk: Buffer) => {
    const lines = `${rest}${chunk.toString()}`.split('\n')
    rest = lines.pop() ?? ''
    received.push(...lines.map((line): Message => JSON.parse(line)))
  })
  let id = 0
  const send = (message: object): void => void child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const request = (message: object): void => send({ ...message, id: (id += 1) })
  request(initialize)
  await eventually('svc mcp answers', () => received.some((message) => message.id === id))
  send({ method: 'notifications/initialized' })
  return {
    received,
    call: (name, given) =>
      request({ method: 'tools/call', params: { name, arguments: given, _meta: { progressToken: name } } }),
    progress: async () =>
      await eventually('there is progress', () => received.some(({ method }) => method === 'notifications/progress')),
    hangUp: async () => {
      child.stdin.end()
      const late = setTimeout(() => child.kill('SIGKILL'), endsWithinMs)
      await ended
      clearTimeout(late)
      return { code: child.exitCode, signal: child.signalCode }
    },
  }
}
