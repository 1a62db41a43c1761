/** What projects reserve and use; `usage.get` is the only verb. */
import type { OperationsOf, View } from '../../contract/operations.ts'
import { nodesRoom, podsRoom } from '../../kinds/apps/capacity.ts'
import type { Room } from '../../kinds/apps/capacity.ts'
import { regionOf } from '../../kinds/node-tags.ts'
import type { Project } from '../../kinds/projects/kind.ts'
import { bytes } from '../../kinds/quantity.ts'
import type { Caches } from '../context/caches.ts'
import type { Handler, HandlerTable } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import type { ClaimSeen, PodSeen } from '../context/trim.ts'
import { readUsing, sumOf } from './using.ts'
import type { Using } from './using.ts'

export const usageHandlers = (needs: Needs) => ({ 'usage.get': get(needs) }) satisfies HandlerTable<OperationsOf<'usage'>>

type Usage = View<'usage.get'>
type Used = Usage['platform']

/** What belongs together: a project's pods and volumes, or everybody's. */
interface Part {
  readonly pods: readonly PodSeen[]
  readonly claims: readonly ClaimSeen[]
  readonly owns?: (namespace: string) => boolean
}

/** `GET /usage`: reserved from the cache; what is in use, and the shares, from the metrics store while it answers. */
const get =
  (needs: Needs): Handler<'usage.get'> =>
  async () => {
    const { caches } = needs
    const using = await readUsing(needs)
    const whole = nodesRoom(caches.nodes.list())
    const pods = Map.groupBy(caches.pods.list(), projectOf)
    const claims = Map.groupBy(caches.claims.list(), projectOf)
    const usedBy = ({ metadata: { name } }: Project) =>
      describe({ pods: pods.get(name) ?? [], claims: claims.get(name) ?? [], owns: (namespace) => projectIn(namespace) === name }, whole, using)
    const regions = regionsOf(caches)
    return {
      cpuAllocatableMillis: whole.cpuMillis,
      memoryAllocatableBytes: whole.memoryBytes,
      nodes: caches.nodes.list().length,
      actualAvailable: using !== undefined,
      projects: caches.projects.list().map((project) => ({ project: project.metadata.name, displayName: project.spec.displayName, ...usedBy(project) })),
      platform: describe({ pods: caches.pods.list(), claims: caches.claims.list() }, whole, using),
      ...(regions.length === 0 ? {} : { regions }),
    }
  }

function describe({ pods, claims, owns }: Part, whole: Room, using: Using | undefined): Used {
  const reserved = podsRoom(pods)
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

/** Copies that have ended hold nothing any more. */
const isLive = ({ status }: PodSeen): boolean => status?.phase !== 'Succeeded' && status?.phase !== 'Failed'

const share = (part: number, whole: number): number => (whole <= 0 ? 0 : Math.min(1, part / whole))

/** The environments of a project are the namespaces `<project>-<environment>`. */
const projectIn = (namespace: string): string => /^(proj-[0-9a-f]{8})-/.exec(namespace)?.[1] ?? ''
const projectOf = ({ metadata }: PodSeen | ClaimSeen): string => projectIn(metadata.namespace ?? '')

function regionsOf({ nodes, pods }: Caches): NonNullable<Usage['regions']> {
  const byRegion = Map.groupBy(nodes.list(), regionOf)
  byRegion.delete('')
  return [...byRegion]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([region, there]) => {
      const names = new Set(there.map(({ metadata }) => metadata.name))
      const room = nodesRoom(there)
      const reserved = podsRoom(pods.list().filter(({ spec }) => names.has(spec?.nodeName ?? '')))
      return {
        region,
        nodes: there.length,
        cpuAllocatableMillis: room.cpuMillis,
        memoryAllocatableBytes: room.memoryBytes,
        cpuReservedMillis: reserved.cpuMillis,
        memoryReservedBytes: reserved.memoryBytes,
      }
    })
}
