/** The volumes of databases that are almost full (docs/reference/databases.md#a-volume-that-fills-up). */
import { homeOf } from '../meta/namespaces.ts'
import { type FullVolume, fullVolumeMessage } from '../pods/full-volumes.ts'
import type { Database } from './kind.ts'
import { volumeName } from './names.ts'

/** The message of a database about the fullest of its volumes; '' where none of them is almost full. */
export function volumeTrouble({ metadata, spec }: Database, full: readonly FullVolume[]): string {
  const home = homeOf(spec)
  return fullVolumeMessage(
    full,
    ({ namespace, claim }) => namespace === home && isOf(claim, metadata.name),
    'storageSize',
  )
}

/** The volume of a single instance, or one of those that the operator numbers. */
const isOf = (claim: string, name: string): boolean =>
  claim === volumeName(name) || (claim.startsWith(`${name}-`) && /^\d+$/.test(claim.slice(name.length + 1)))
