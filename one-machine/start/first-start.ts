/** The first lines of a start where servers are missing: what will happen, how long it takes, and what is faster. */
import { availableParallelism } from 'node:os'
import { findMissing } from '../servers/resolve.ts'
import { serversOf } from '../stack.ts'
import type { ClusterKind, StartOptions } from './options.ts'
import { defined } from '../../contract/defined.ts'

/** A quick build is not worth a warning. */
const announcedFromSeconds = 30

export interface Expected {
  readonly missing: number
  readonly seconds: number
}

/** From the longest to the shortest. */
const shorter: Readonly<Record<ClusterKind, readonly ClusterKind[]>> = {
  node: ['kubeconfig', 'simulated'],
  simulated: ['kubeconfig'],
  kubeconfig: [],
}
const meaning: Readonly<Record<ClusterKind, string>> = {
  node: 'a real node',
  kubeconfig: 'a cluster of yours',
  simulated: 'pods are only played',
}

const inMinutes = (seconds: number): string =>
  seconds < announcedFromSeconds ? 'at once' : `about ${Math.max(1, Math.round(seconds / 60))} min`

/** Lines for the user; none where no or hardly any server is missing. */
export function describeFirstStart(
  kind: ClusterKind,
  cores: number,
  expected: Readonly<Record<ClusterKind, Expected>>,
): string[] {
  const { missing, seconds } = expected[kind]
  if (seconds < announcedFromSeconds) return []
  const others = shorter[kind].map(
    (other) => `--cluster ${other} (${meaning[other]}): ${inMinutes(expected[other].seconds)}`,
  )
  return [
    `${missing} servers are not on this machine yet. They are downloaded where their publishers can be reached, else built from source:`,
    `${inMinutes(seconds)} on ${cores} cores, once. Ctrl-C does no harm, the next start goes on.${others.length === 0 ? '' : ` What takes less:`}`,
    ...others.map((other) => `  npm start -- ${other}`),
  ]
}

/** The same for this machine. */
export async function announceFirstStart(
  kind: ClusterKind,
  { temporal }: Pick<StartOptions, 'temporal'>,
  say: (line: string) => void,
): Promise<void> {
  const cores = availableParallelism()
  const expect = async (cluster: ClusterKind): Promise<Expected> => {
    const { names, seconds } = findMissing(await serversOf({ cluster, ...defined({ temporal }) }), cores)
    return { missing: names.length, seconds }
  }
  const expected = {
    node: await expect('node'),
    simulated: await expect('simulated'),
    kubeconfig: await expect('kubeconfig'),
  }
  for (const line of describeFirstStart(kind, cores, expected)) say(line)
}
