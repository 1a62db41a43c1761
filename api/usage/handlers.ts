/** The resources that projects reserve and use; `usage.get` is the only operation. */
import { projectIdText } from '../../contract/fields/patterns.ts'
import type { OperationsOf, View } from '../../contract/operations.ts'
import { nodesCapacity, podsRequests, type Capacity } from '../../kinds/apps/deploy/capacity.ts'
import { usedByNamespace } from '../../kinds/metrics/queries.ts'
import { regionOf } from '../../kinds/placement/node-tags.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { bytes } from '../../kinds/pods/quantity.ts'
import { MetricsUnavailable, type Labelled } from '../../outside/metrics/prometheus.ts'
import type { Caches } from '../context/caches.ts'
import type { Handler, HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import type { ClaimSeen, PodSeen } from '../context/trim.ts'

export const usageHandlers = (needs: Needs) =>
  ({ 'usage.get': get(needs) }) satisfies HandlerTable<OperationsOf<'usage'>>

type Usage = View<'usage.get'>
type Used = Usage['platform']

/** The pods and claims of a project, or of the whole cluster. */
interface Part {
  readonly pods: readonly PodSeen[]
  readonly claims: readonly ClaimSeen[]
  readonly owns?: (namespace: string) => boolean
}

/**
 * `GET /usage`: the reserved resources from the cache; those in use, and the shares, from the metrics store while it
 * answers.
 */
const get =
  (needs: Needs): Handler<'usage.get'> =>
  async () => {
    const { caches } = needs
    const using = await readUsing(needs)
    const whole = nodesCapacity(caches.nodes.list())
    const pods = Map.groupBy(caches.pods.list(), projectOf)
    const claims = Map.groupBy(caches.claims.list(), projectOf)
    const usedBy = ({ metadata: { name } }: Project) =>
      describe(
        {
          pods: pods.get(name) ?? [],
          claims: claims.get(name) ?? [],
          owns: (namespace) => projectIn(namespace) === name,
        },
        whole,
        using,
      )
    const regions = regionsOf(caches)
    return {
      cpuAllocatableMillis: whole.cpuMillis,
      memoryAllocatableBytes: whole.memoryBytes,
      nodes: caches.nodes.list().length,
      actualAvailable: using !== undefined,
      projects: caches.projects.list().map((project) => ({
        project: project.metadata.name,
        displayName: project.spec.displayName,
        ...usedBy(project),
      })),
      platform: describe({ pods: caches.pods.list(), claims: caches.claims.list() }, whole, using),
      ...(regions.length === 0 ? {} : { regions }),
    }
  }

function describe({ pods, claims, owns }: Part, whole: Capacity, using: Using | undefined): Used {
  const reserved = podsRequests(pods)
  const used = {
    pods: pods.filter(isLive).length,
    cpuReservedMillis: reserved.cpuMillis,
    memoryReservedBytes: reserved.memoryBytes,
    storageReservedBytes: claims.reduce((sum, { spec }) => sum + bytes(spec?.resources?.requests?.['storage']), 0),
  }
  if (using === undefined) return used
  const cpuUsingMillis = Math.round(sumOf(using.cores, owns) * 1000)
  const memoryUsingBytes = Math.round(sumOf(using.memory, owns))
  return {
    ...used,
    cpuUsingMillis,
    memoryUsingBytes,
    storageUsingBytes: Math.round(sumOf(using.storage, owns)),
    shareOfCpu: share(cpuUsingMillis, whole.cpuMillis),
    shareOfMemory: share(memoryUsingBytes, whole.memoryBytes),
  }
}

/** Copies that have ended reserve nothing. */
const isLive = ({ status }: PodSeen): boolean => status?.phase !== 'Succeeded' && status?.phase !== 'Failed'

const share = (part: number, whole: number): number => (whole <= 0 ? 0 : Math.min(1, part / whole))

/** The namespaces of a project's environments are `<project>-<environment>`. */
const projectIn = (namespace: string): string => environmentNamespace.exec(namespace)?.[1] ?? ''
const environmentNamespace = new RegExp(`^(${projectIdText})-`)
const projectOf = ({ metadata }: PodSeen | ClaimSeen): string => projectIn(metadata.namespace ?? '')

function regionsOf({ nodes, pods }: Caches): NonNullable<Usage['regions']> {
  const byRegion = Map.groupBy(nodes.list(), regionOf)
  byRegion.delete('')
  return [...byRegion]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([region, there]) => {
      const names = new Set(there.map(({ metadata }) => metadata.name))
      const capacity = nodesCapacity(there)
      const reserved = podsRequests(pods.list().filter(({ spec }) => names.has(spec?.nodeName ?? '')))
      return {
        region,
        nodes: there.length,
        cpuAllocatableMillis: capacity.cpuMillis,
        memoryAllocatableBytes: capacity.memoryBytes,
        cpuReservedMillis: reserved.cpuMillis,
        memoryReservedBytes: reserved.memoryBytes,
      }
    })
}

/** The current use by namespace, from the metrics store: cores, bytes, bytes. */
interface Using {
  readonly cores: ReadonlyMap<string, number>
  readonly memory: ReadonlyMap<string, number>
  readonly storage: ReadonlyMap<string, number>
}

/** Undefined while no metrics store answers. */
async function readUsing({ metrics, log }: Needs): Promise<Using | undefined> {
  try {
    const { cpu, memory, storage } = usedByNamespace
    const [cores, memoryUsed, stored] = await Promise.all([
      metrics.instant(cpu),
      metrics.instant(memory),
      metrics.instant(storage),
    ])
    return { cores: byNamespace(cores), memory: byNamespace(memoryUsed), storage: byNamespace(stored) }
  } catch (error) {
    if (!(error instanceof MetricsUnavailable)) throw error
    log.debug({ err: error }, 'the metrics store could not be read; usage is answered without it')
    return undefined
  }
}

/** The sum over the wanted namespaces, or over all. */
function sumOf(values: ReadonlyMap<string, number>, wanted: (namespace: string) => boolean = () => true): number {
  let sum = 0
  for (const [namespace, value] of values) if (wanted(namespace)) sum += value
  return sum
}

const byNamespace = (series: readonly Labelled[]) =>
  new Map(series.map(({ labels, value }) => [labels['namespace'] ?? '', value] as const))
