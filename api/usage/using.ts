/** What runs uses right now, as the metrics store tells it for each namespace. */
import { usedByNamespace } from '../../kinds/metrics/queries.ts'
import type { Labelled } from '../../outside/metrics/prometheus.ts'
import { MetricsUnavailable } from '../../outside/metrics/prometheus.ts'
import type { Needs } from '../context/needs.ts'

/** By namespace: cores, bytes, bytes. */
export interface Using {
  readonly cores: ReadonlyMap<string, number>
  readonly memory: ReadonlyMap<string, number>
  readonly storage: ReadonlyMap<string, number>
}

/** Undefined while no metrics store answers. */
export async function readUsing({ metrics, log }: Needs): Promise<Using | undefined> {
  try {
    const { cpu, memory, storage } = usedByNamespace
    const [cores, bytes, stored] = await Promise.all([metrics.instant(cpu), metrics.instant(memory), metrics.instant(storage)])
    return { cores: byNamespace(cores), memory: byNamespace(bytes), storage: byNamespace(stored) }
  } catch (error) {
    if (!(error instanceof MetricsUnavailable)) throw error
    log.debug({ err: error }, 'usage without a metrics store')
    return undefined
  }
}

/** The sum over the namespaces that are wanted, or over all. */
export function sumOf(values: ReadonlyMap<string, number>, wanted: (namespace: string) => boolean = () => true): number {
  let sum = 0
  for (const [namespace, value] of values) if (wanted(namespace)) sum += value
  return sum
}

const byNamespace = (series: readonly Labelled[]) => new Map(series.map(({ labels, value }) => [labels['namespace'] ?? '', value] as const))
