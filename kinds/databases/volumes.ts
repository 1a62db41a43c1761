/** The volumes of databases that are almost full (docs/reference/databases.md#a-volume-that-fills-up). */

import { homeOf } from '../meta/namespaces.ts'
import type { Database } from './kind.ts'
import { volumeName } from './names.ts'

/** A claim in its namespace, and which part of its volume is used, up to 1. */
export interface FullVolume {
  namespace: string
  claim: string
  share: number
}

/** What a database says of the fullest of its volumes; '' where none is among these. */
export function volumeTrouble({ metadata, spec }: Database, full: readonly FullVolume[]): string {
  const home = homeOf(spec)
  const own = full.filter(({ namespace, claim }) => namespace === home && isOf(claim, metadata.name))
  if (own.length === 0) return ''
  const percent = Math.floor(Math.max(...own.map(({ share }) => share)) * 100)
  return `its volume is ${percent} % full; raise storageSize or remove data`
}

/** The one of a single instance, or those that the operator numbers. */
const isOf = (claim: string, name: string): boolean =>
  claim === volumeName(name) || (claim.startsWith(`${name}-`) && /^\d+$/.test(claim.slice(name.length + 1)))
