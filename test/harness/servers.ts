/** Servers that tests need: a machine that lacks one makes it first, which takes minutes. */
import type { Runner } from 'mocha'
import type { ServerName, StackOptions } from '../../one-machine/index.ts'

/** A progress line comes every 5 s. */
const moreForLineMs = 10_000

/** Loaded on first use, as in `stack.ts`. */
const loadOneMachine = () => import('../../one-machine/index.ts')

/** The servers besides those of a stack, in the order in which they are needed. */
const ofTests = ['victoria-metrics', 'registry', 'kubectl', 'coredns', 'minio', 'helm'] as const
const ofNodeTests = ['rqlited'] as const

let runner: Runner | undefined

/** Sets the run whose times are recorded. */
export function keepTimesOf(run: Runner): void {
  runner = run
}

let said = ''

/** Prints a progress line once. It names the step and, after a comma, the progress; it repeats every 5 s. */
function sayOnce(line: string): void {
  const [what = ''] = line.split(',')
  if (what !== said) process.stderr.write(`${line}\n`)
  said = what
}

/** Prints once that a server is being made; the time is not counted against the hook or test that waits for it. */
export function logProgress(line: string): void {
  sayOnce(line)
  const waiting = runner?.currentRunnable
  const isOver = waiting?.duration !== undefined
  if (waiting !== undefined && !isOver && waiting.timeout() > 0) waiting.timeout(waiting.timeout() + moreForLineMs)
}

/**
 * Begins to make in the background what the whole run needs and this machine lacks: a test that needs a server waits
 * for that one, other tests go on. All are made in one call, since they share compiled packages.
 */
export async function makeAhead(): Promise<void> {
  const { canHaveNode, resolveServers, serversOf } = await loadOneMachine()
  const ofNode = canHaveNode().ok ? [...(await serversOf({ cluster: 'node' })), ...ofNodeTests] : []
  const names = [...(await serversOf({ cluster: 'simulated' })), ...ofTests, ...ofNode]
  // A failure is reported by the test that needs the server.
  void resolveServers([...new Set(names)], { progress: sayOnce }).catch(() => undefined)
}

/** Makes the servers of such a stack, for a test whose process then finds them. */
export async function makeServersOf(cluster: StackOptions['cluster']): Promise<void> {
  const { resolveServers, serversOf } = await loadOneMachine()
  await resolveServers(await serversOf({ cluster }), { progress: logProgress })
}

const found = new Map<ServerName, Promise<string>>()

/**
 * Absolute path of the server's executable. It is looked for once: one on the PATH is asked for its version each time,
 * and tests call `kubectl` by the dozen.
 */
export function testServer(name: ServerName): Promise<string> {
  const known = found.get(name)
  if (known !== undefined) return known
  const finding = loadOneMachine().then(({ resolveServer }) => resolveServer(name, { progress: logProgress }))
  found.set(name, finding)
  // A later test that needs it tries again.
  finding.catch(() => found.delete(name))
  return finding
}
