/** Serves one agent that started this program: messages on standard input and output. */
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { Readable, Writable } from 'node:stream'
import type { Client } from '../client/client.ts'
import { createAgentServer } from './server.ts'
import type { ToolCall } from './tool/tool.ts'
import { toolsFor, type ToolsetFlags } from './toolset.ts'

export interface ServeOptions extends ToolsetFlags {
  readonly version: string
  readonly now: () => number
  readonly sleep: ToolCall['sleep']
  /** Aborted when the server should end. */
  readonly signal: AbortSignal
}

/**
 * Ends when the agent closes its side, or with the signal; what calls have asked of the service goes on.
 * @throws ApiError when the token is not valid, UnreachableError when the service does not answer.
 */
export async function serveStdio(
  client: Client,
  { input, output }: { input: Readable; output: Writable },
  options: ServeOptions,
): Promise<void> {
  const { signal, ...rest } = options
  const me = await client.call('platform.me', {}, { signal })
  const server = createAgentServer({ client, tools: toolsFor(me, options), ...rest })
  const ended = new Promise<void>((resolve) => {
    Object.assign(server, { onclose: resolve })
    for (const event of ['end', 'close', 'error']) input.once(event, () => resolve())
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
  await server.connect(new StdioServerTransport(input, output))
  await ended
  await server.close()
}
