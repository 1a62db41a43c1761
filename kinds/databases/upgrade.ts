/**
 * Which changes of version or size the data of a database allows. The worker checks them too, since an edit by kubectl
 * does not pass the api.
 */
import { bytes } from '../pods/quantity.ts'
import { engineVersionOf } from './image.ts'
import type { DatabaseSpec } from './kind.ts'
import { storageSizeOf } from './sizes.ts'

type Versioned = Pick<DatabaseSpec, 'engine' | 'version'>

const numbersOf = (version: string): number[] =>
  version
    .split(/[^0-9]+/)
    .filter((part) => part !== '')
    .map(Number)

/**
 * Why `to` cannot open the data that `from` wrote, as a sentence; '' when it can. The data of postgres belongs to one
 * major version.
 */
export function versionRefusal(to: Versioned, from: string): string {
  const wanted = engineVersionOf(to)
  const [before, after] = [numbersOf(from), numbersOf(wanted)]
  if (to.engine === 'postgres' && before[0] !== after[0]) {
    return `postgres ${wanted} cannot open the data of postgres ${from}; create a new database and move the data`
  }
  return isOlder(after, before) ? `${to.engine} ${wanted} is older than the ${from} that wrote the data` : ''
}

/** `8` is not older than `8.4`: numbers that a version leaves out are not compared. */
function isOlder(wanted: readonly number[], there: readonly number[]): boolean {
  for (const [index, number] of wanted.entries()) {
    const other = there[index]
    if (other === undefined || number > other) return false
    if (number < other) return true
  }
  return false
}

/** Why the existing volume cannot have the wanted size, as a sentence; '' when it can. */
export function sizeRefusal(
  spec: Pick<DatabaseSpec, 'engine' | 'storageSize'>,
  there: string,
  expandable: boolean,
): string {
  const wanted = storageSizeOf(spec)
  if (bytes(wanted) < bytes(there)) return `storageSize cannot shrink; the database has ${there}`
  return bytes(wanted) > bytes(there) && !expandable
    ? `this cluster cannot enlarge volumes; the database keeps its ${there}`
    : ''
}
