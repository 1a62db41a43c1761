/** What the kubelet's counters say of the use of pods and of the node, from two readings of each container. */

/** Counters at one moment, by the kubelet's clock. */
interface Reading {
  /** Milliseconds since 1970. */
  readonly at: number
  /** CPU time since the start of the container. */
  readonly coreSeconds: number
  readonly bytes: number
}

export interface Use {
  /** The later end of the window: milliseconds since 1970. */
  readonly at: number
  readonly windowSeconds: number
  /** Average over the window. */
  readonly cores: number
  /** At its end. */
  readonly bytes: number
}

export interface UseReader {
  /** Takes in the text of the kubelet's `/metrics/resource`. */
  note(text: string): void
  /** The usage of each container by its name; empty for a pod that was not read twice yet. */
  ofPod(namespace: string, name: string): Map<string, Use>
  /** Undefined until the second reading. */
  ofNode(): Use | undefined
}

type Pair = { readonly before?: Reading; readonly last: Reading }

const nodeKey = ''
const podKey = (namespace: string, pod: string): string => `${namespace}/${pod}/`

export function createUseReader(): UseReader {
  let pairs = new Map<string, Pair>()
  return {
    note(text) {
      const readings = [...readingsIn(text)]
      pairs = new Map(readings.map(([key, reading]) => [key, pairUp(pairs.get(key), reading)]))
    },
    ofPod(namespace, name) {
      const start = podKey(namespace, name)
      const uses = [...pairs]
        .filter(([key]) => key.startsWith(start))
        .map(([key, pair]) => [key.slice(start.length), useOf(pair)] as const)
      return new Map(uses.filter((entry): entry is [string, Use] => entry[1] !== undefined))
    },
    ofNode: () => useOf(pairs.get(nodeKey)),
  }
}

/** The kubelet reads its own counters every ten seconds or so: in between it repeats what it said. */
function pairUp(pair: Pair | undefined, next: Reading): Pair {
  if (pair === undefined || next.coreSeconds < pair.last.coreSeconds) return { last: next } // first seen, or restarted
  return next.at <= pair.last.at ? pair : { before: pair.last, last: next }
}

function useOf(pair: Pair | undefined): Use | undefined {
  if (pair?.before === undefined) return undefined
  const { before, last } = pair
  const windowSeconds = (last.at - before.at) / 1000
  return {
    at: last.at,
    windowSeconds,
    cores: (last.coreSeconds - before.coreSeconds) / windowSeconds,
    bytes: last.bytes,
  }
}

const counters: Readonly<Record<string, 'coreSeconds' | 'bytes'>> = {
  container_cpu_usage_seconds_total: 'coreSeconds',
  container_memory_working_set_bytes: 'bytes',
  node_cpu_usage_seconds_total: 'coreSeconds',
  node_memory_working_set_bytes: 'bytes',
}

/** By `namespace/pod/container`, and '' for the node; without what lacks one of the two numbers. */
function readingsIn(text: string): Map<string, Reading> {
  const found = new Map<string, Partial<Record<'at' | 'coreSeconds' | 'bytes', number>>>()
  for (const [, name = '', labels, value, at] of text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+) (\d+)$/gm)) {
    const counter = counters[name]
    if (counter === undefined) continue
    const key = seriesKey(labels)
    found.set(key, {
      ...found.get(key),
      [counter]: Number(value),
      ...(counter === 'coreSeconds' ? { at: Number(at) } : {}), // the rate needs its very time
    })
  }
  const whole = [...found].filter((entry): entry is [string, Reading] => {
    const { at, coreSeconds, bytes } = entry[1]
    return at !== undefined && coreSeconds !== undefined && bytes !== undefined
  })
  return new Map(whole)
}

function seriesKey(labels: string | undefined): string {
  if (labels === undefined) return nodeKey
  const label = (name: string): string => new RegExp(`(?:^|,)${name}="([^"]*)"`).exec(labels)?.[1] ?? ''
  return podKey(label('namespace'), label('pod')) + label('container')
}
