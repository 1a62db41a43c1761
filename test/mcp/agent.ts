/** An agent program: the official client, connected to `svc mcp` over HTTP or as a process it started. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { RequestOptions } from '@modelcontextprotocol/sdk/shared/protocol.js'
import { CallToolResultSchema, type CallToolResult } from '@modelcontextprotocol/sdk/types.js'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { serveHttp } from '../../mcp/http/listen.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever came
type Structured = Record<string, any>

export interface Agent {
  readonly client: Client
  /** Names of the tools, sorted. */
  names(): Promise<string[]>
  call(name: string, args?: Record<string, unknown>, options?: RequestOptions): Promise<CallToolResult>
  /** The structured content of a call that must succeed. */
  ok(name: string, args?: Record<string, unknown>, options?: RequestOptions): Promise<Structured>
  /** The text of a call that must be refused. */
  refused(name: string, args?: Record<string, unknown>): Promise<string>
  close(): Promise<void>
}

export interface AgentHost {
  readonly url: URL
  readonly notes: string[]
  agent(token: string): Promise<Agent>
  stop(): Promise<void>
}

interface HostOptions {
  readOnly?: boolean
  allowDelete?: boolean
  address?: string
  allowedHosts?: string
}

/** `svc mcp --listen 0` in this process. */
export async function startAgentHost(baseUrl: string, flags: HostOptions = {}): Promise<AgentHost> {
  const end = new AbortController()
  const notes: string[] = []
  let onFirst: () => void = () => undefined
  const listening = new Promise<void>((resolve) => (onFirst = resolve))
  const served = serveHttp(
    { baseUrl, userAgent: 'svc/test' },
    {
      readOnly: flags.readOnly === true,
      allowDelete: flags.allowDelete === true,
      address: flags.address ?? '0',
      allowedHosts: flags.allowedHosts ?? '',
      version: 'test',
      now: () => performance.now(),
      sleep: async (ms, signal) => await sleep(ms, undefined, signal === undefined ? {} : { signal }),
      signal: end.signal,
      note: (line) => {
        notes.push(line)
        onFirst()
      },
    },
  )
  await Promise.race([listening, served])
  const url = new URL(/http:\/\/\S+\/mcp/.exec(notes[0] ?? '')?.[0] ?? 'http://127.0.0.1:9/not-listening')
  return {
    url,
    notes,
    agent: async (token) => {
      const transport = new StreamableHTTPClientTransport(url, {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      })
      return await connect(transport)
    },
    stop: async () => {
      end.abort()
      await served
    },
  }
}

const main = join(import.meta.dirname, '../../cli/main.ts')

/** How an agent program starts `svc mcp` on standard input and output. */
export const stdioProgram = (baseUrl: string, token: string, flags: readonly string[] = []) => ({
  command: process.execPath,
  args: [main, 'mcp', ...flags],
  env: { PATH: process.env['PATH'] ?? '', SVC_URL: baseUrl, SVC_TOKEN: token, SVC_CONFIG: '/nonexistent/c.json' },
})

export const startStdioAgent = async (baseUrl: string, token: string, flags: readonly string[] = []): Promise<Agent> =>
  await connect(new StdioClientTransport({ ...stdioProgram(baseUrl, token, flags), stderr: 'inherit' }))

export async function connect(transport: StdioClientTransport | StreamableHTTPClientTransport): Promise<Agent> {
  const client = new Client({ name: 'test-agent', version: '1' })
  await client.connect(transport)
  await client.listTools() // the client checks each answer against the output schema from here on
  const call: Agent['call'] = async (name, args = {}, options) =>
    (await client.callTool({ name, arguments: args }, CallToolResultSchema, options)) as CallToolResult
  return {
    client,
    call,
    names: async () => (await client.listTools()).tools.map(({ name }) => name).toSorted(),
    ok: async (name, args, options) => {
      const result = await call(name, args, options)
      if (result.isError === true) throw new Error(`${name} was refused: ${textOf(result)}`)
      return result.structuredContent ?? {}
    },
    refused: async (name, args) => {
      const result = await call(name, args)
      if (result.isError !== true) throw new Error(`${name} was not refused: ${textOf(result)}`)
      return textOf(result)
    },
    close: async () => await client.close(),
  }
}

export function textOf({ content }: CallToolResult): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
}
