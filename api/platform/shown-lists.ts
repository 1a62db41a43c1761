/**
 * Lists of records as `bootstrap` shows them, kept while nothing in them changes; of a list that did, only what changed
 * is made anew.
 */
import type { KubeObject } from '../../cluster/objects/object.ts'
import type { Listed, Shown } from './shown.ts'

export interface ShownList {
  readonly view: Listed
  /** The same as JSON, encoded. */
  readonly bytes: () => Buffer
}

/** A record as it is shown, and the JSON of that once it was asked for. */
interface Item {
  readonly shown: Shown
  json?: string
}

/** @param show what callers see of a record; a pure function of it */
export function memoizeList<T extends KubeObject>(show: (object: T) => Shown): (objects: readonly T[]) => ShownList {
  // A cache hands out the same object, and the same array of them, as long as nothing changed.
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
