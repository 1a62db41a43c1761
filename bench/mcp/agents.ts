/** Bench 17: a tool call of an agent over HTTP against the same call by the typed client; what 100 agents weigh. */
import { Client as Agent } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Line } from '../rig/line.ts'
import { residentMiB } from '../rig/process-cost.ts'
import type { Rig } from '../rig/rig.ts'
import { describeMs, median } from '../rig/statistics.ts'

const main = join(import.meta.dirname, '../../cli/main.ts')
/** A call asks the service about the token, then for the answer; the protocol's two programs parse it on top. */
const callGoal = 8
/**
 * What a hundred agents may add to the server by as many calls again. The first calls fill the heap that V8 has for
 * garbage, which is no growth: a server that keeps something grows with the second half as with the first.
 */
const growthGoalMiB = 50

export async function agents(rig: Rig, { quick }: { quick: boolean }): Promise<Line[]> {
  const server = spawn(process.execPath, [main, 'mcp', '--url', rig.url, '--listen', '0'], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, SVC_CONFIG: join(rig.folder, 'no-config.json') },
  })
  rig.atEnd(() => end(server))
  try {
    const url = await listeningAt(server)
    return [await calls(rig, url, quick ? 20 : 500), await residentOf(server, rig, url, quick ? 3 : 40)]
  } finally {
    await end(server)
  }
}

async function calls(rig: Rig, url: URL, count: number): Promise<Line> {
  const agent = await connect(url, rig.token)
  const own: number[] = []
  const plain: number[] = []
  // By turns, so that both see the same machine.
  for (let at = 0; at < count; at += 1) {
    own.push(await timed(() => agent.callTool({ name: 'list_projects', arguments: {} })))
    plain.push(await timed(() => rig.client.call('projects.list', {})))
  }
  await agent.close()
  return {
    bench: 17,
    work: `list_projects by an agent: ${describeMs(own)}`,
    peer: `by the typed client: ${describeMs(plain)}`,
    ratio: median(own) / median(plain),
    goal: { atMost: callGoal },
    samples: { agentMs: own, clientMs: plain },
  }
}

async function residentOf(server: ChildProcess, rig: Rig, url: URL, rounds: number): Promise<Line> {
  const pid = server.pid ?? 0
  const alone = residentMiB(pid)
  const connected = await Promise.all(Array.from({ length: 100 }, () => connect(url, rig.token)))
  const round = () => Promise.all(connected.map((agent) => agent.callTool({ name: 'list_projects', arguments: {} })))
  await round()
  const first = residentMiB(pid)
  for (let at = 1; at < rounds; at += 1) await round()
  const half = residentMiB(pid)
  for (let at = 0; at < rounds; at += 1) await round()
  const last = residentMiB(pid)
  await Promise.all(connected.map((agent) => agent.close()))
  return {
    bench: 17,
    work:
      `100 agents: ${[alone, first, half, last].map(Math.round).join(' -> ')} MiB alone, connected, ` +
      `after ${rounds * 100} and ${rounds * 200} calls`,
    peer: `${growthGoalMiB} MiB more by the second half of the calls`,
    ratio: Math.max(0, last - half) / growthGoalMiB,
    goal: { atMost: 1 },
    samples: { mib: [alone, first, half, last] },
  }
}

async function connect(url: URL, token: string): Promise<Agent> {
  const agent = new Agent({ name: 'bench', version: '1' })
  const requestInit = { headers: { authorization: `Bearer ${token}` } }
  await agent.connect(new StreamableHTTPClientTransport(url, { requestInit }))
  return agent
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const start = performance.now()
  await act()
  return performance.now() - start
}

/** The address in the first line that the server prints. */
async function listeningAt({ stderr }: ChildProcess): Promise<URL> {
  if (stderr === null) throw new Error('svc mcp has no standard error')
  for await (const line of createInterface({ input: stderr })) {
    const [address] = /http:\/\/\S+\/mcp/.exec(line) ?? []
    if (address !== undefined) return new URL(address)
    throw new Error(`svc mcp said: ${line}`)
  }
  throw new Error('svc mcp ended before it listened')
}

async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = once(server, 'exit')
  server.kill()
  await ended
}
