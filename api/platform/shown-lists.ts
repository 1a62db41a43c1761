/**
 * Lists of records for `bootstrap`, kept while nothing in them changes; in a changed list only the changed records are
 * serialized again.
 */
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { Listed, Shown } from './shown.ts'

export interface ShownList {
  readonly view: Listed
  /** The view as encoded JSON. */
  readonly bytes: () => Buffer
}

/** The shown part of a record, and its JSON once it was needed. */
interface Item {
  readonly shown: Shown
  json?: string
}

/** @param show the part of a record that callers see; a pure function */
export function memoizeList<T extends KubeObject>(show: (object: T) => Shown): (objects: readonly T[]) => ShownList {
  // A cache returns the same objects, in the same array, as long as nothing changed.
  const items = new WeakMap<T, Item>()
  let last: { objects: readonly T[]; list: ShownList } | undefined
  const itemOf = (object: T): Item => {
    const item = items.get(object) ?? { shown: show(object) }
    items.set(object, item)
    return item
  }
  return (objects) => {
    if (last?.objects !== objects) last = { objects, list: shownList([...objects].sort(oldestFirst).map(itemOf)) }
    return last.list
  }
}

/**
 * A list is oldest first, and its `items` are null when there are none
 * (docs/reference/platform.md#first-read-of-a-dashboard).
 */
function shownList(items: readonly Item[]): ShownList {
  let bytes: Buffer | undefined
  return {
    view: { items: items.length === 0 ? null : items.map(({ shown }) => shown) },
    bytes: () =>
      (bytes ??= Buffer.from(items.length === 0 ? '{"items":null}' : `{"items":[${items.map(jsonOf).join(',')}]}`)),
  }
}

const jsonOf = (item: Item): string => (item.json ??= JSON.stringify(item.shown))

function oldestFirst({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  const [bornA = '', bornB = ''] = [a.creationTimestamp, b.creationTimestamp]
  if (bornA !== bornB) return bornA < bornB ? -1 : 1
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0
}
