/** Servers that tests need: on a machine that has none of them yet one is made first, which takes minutes. */
import type { Runner } from 'mocha'
import type { ServerName, StackOptions } from '../../one-machine/index.ts'

/** A line comes every 5 s. */
const moreForLineMs = 10_000

/** Loaded when a server is asked for, as in `stack.ts`. */
const loadOneMachine = () => import('../../one-machine/index.ts')

/** Besides those of a stack, as they are needed one after the other. */
const ofTests = ['prometheus', 'registry', 'kubectl', 'coredns', 'minio'] as const
const ofNodeTests = ['rqlited'] as const

let runner: Runner | undefined

/** Of this run the times are kept. */
export function keepTimesOf(run: Runner): void {
  runner = run
}

let said = ''

/** A line says what is done and, after a comma, how far: it comes every 5 s, and what is done is news only once. */
function sayOnce(line: string): void {
  const [what = ''] = line.split(',')
  if (what !== said) process.stderr.write(`${line}\n`)
  said = what
}

/**
 * Says once that a server is on its way; the time it takes is not counted against the hook or test that waits for it.
 */
export function tellOnTheWay(line: string): void {
  sayOnce(line)
  const waiting = runner?.currentRunnable
  const isOver = waiting?.duration !== undefined
  if (waiting !== undefined && !isOver && waiting.timeout() > 0) waiting.timeout(waiting.timeout() + moreForLineMs)
}

/**
 * Begins to make what the whole run needs and this machine lacks, on the side: tests that do without go on, and whoever
 * needs a server waits for it alone. In one go, since what is compiled for one serves the others.
 */
export async function makeAhead(): Promise<void> {
  const { canHaveNode, resolveServers, serversOf } = await loadOneMachine()
  const ofNode = canHaveNode().ok ? [...(await serversOf({ cluster: 'node' })), ...ofNodeTests] : []
  const names = [...(await serversOf({ cluster: 'simulated' })), ...ofTests, ...ofNode]
  // What cannot be made is told by whoever needs it.
  void resolveServers([...new Set(names)], { progress: sayOnce }).catch(() => undefined)
}

/** Makes the servers of such a stack, for a process of a test that then finds them. */
export async function makeServersOf(cluster: StackOptions['cluster']): Promise<void> {
  const { resolveServers, serversOf } = await loadOneMachine()
  await resolveServers(await serversOf({ cluster }), { progress: tellOnTheWay })
}

/** Absolute path of its executable. */
export async function testServer(name: ServerName): Promise<string> {
  const { resolveServer } = await loadOneMachine()
  return await resolveServer(name, { progress: tellOnTheWay })
}
