/** The size of a database, with the defaults where its record has none (docs/reference/databases.md#fields). */
import { highAvailabilityCopies } from '../../contract/limits.ts'
import { bytes, cpuMillis } from '../pods/quantity.ts'
import type { DatabaseSpec } from './kind.ts'

const usual = { cpu: '250m', memory: '512Mi', storage: '10Gi' } as const
const small = { cpu: '100m', memory: '128Mi', storage: '1Gi' } as const

type Sized = Pick<
  DatabaseSpec,
  | 'project'
  | 'engine'
  | 'storageSize'
  | 'resources'
  | 'instances'
  | 'highAvailability'
  | 'placement'
  | 'runOn'
  | 'serverRegion'
>

/** The size of the volume as a quantity. */
export function storageSizeOf({ engine, storageSize }: Pick<Sized, 'engine' | 'storageSize'>): string {
  return storageSize ?? (engine === 'sqlite' ? small : usual).storage
}

/** How many copies of the server there are. */
export function databaseCopies({
  highAvailability,
  instances,
}: Pick<DatabaseSpec, 'highAvailability' | 'instances'>): number {
  return highAvailability ? Math.max(instances, highAvailabilityCopies) : instances
}

/** CPU and memory of one copy as quantities: reserved, and at most used. */
export function copySizeOf({ engine, resources }: Pick<Sized, 'engine' | 'resources'>): {
  cpu: string
  memory: string
} {
  const least = engine === 'sqlite' ? small : usual
  const { cpu = least.cpu, memory = least.memory } = resources.requests ?? {}
  return { cpu, memory }
}

/** The capacity that its copies need, and on which nodes of this cluster; an external database needs none. */
export function databaseCapacity(spec: Sized) {
  const { project, engine, resources, placement, runOn, serverRegion } = spec
  const { cpu, memory } = copySizeOf({ engine, resources })
  return {
    project,
    tags: runOn.tags,
    region: serverRegion,
    copies: placement === 'External' ? 0 : databaseCopies(spec),
    perCopy: { cpuMillis: cpuMillis(cpu), memoryBytes: bytes(memory) },
  }
}
