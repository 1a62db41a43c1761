/** How large a database is, with the sizes that hold where its record names none (decisions, Kinds: SvcDatabase). */

import { bytes, cpuMillis } from '../quantity.ts'
import type { DatabaseSpec } from './kind.ts'

const usual = { cpu: '250m', memory: '512Mi', storage: '10Gi' } as const
const small = { cpu: '100m', memory: '128Mi', storage: '1Gi' } as const

type Sized = Pick<DatabaseSpec, 'project' | 'engine' | 'storageSize' | 'resources' | 'instances' | 'placement' | 'runOn' | 'serverRegion'>

/** The size of the volume as a quantity. */
export function storageSizeOf({ engine, storageSize }: Pick<Sized, 'engine' | 'storageSize'>): string {
  return storageSize ?? (engine === 'sqlite' ? small : usual).storage
}

/** What its copies need, and on which nodes of this cluster; an external one needs nothing here. */
export function databaseRoom({ project, engine, resources, instances, placement, runOn, serverRegion }: Sized) {
  const least = engine === 'sqlite' ? small : usual
  const { cpu = least.cpu, memory = least.memory } = resources.requests ?? {}
  return {
    project,
    tags: runOn.tags,
    region: serverRegion,
    copies: placement === 'External' ? 0 : instances,
    perCopy: { cpuMillis: cpuMillis(cpu), memoryBytes: bytes(memory) },
  }
}
