/** Views of single records, made again only when one of their sources changed. */
import { memoizedBody } from './memoized-body.ts'

interface Kept<View> {
  readonly sources: readonly unknown[]
  readonly view: View
}

/**
 * The view of a record; the same as the last one while all sources are the same objects: a cache returns another
 * object, or another array, for everything that changed. `make` must be a pure function of record, form and sources,
 * and callers must not change its result.
 */
export type KeptView<View> = (
  of: { readonly record: object; readonly form?: 'whole' | 'redacted'; readonly sources?: readonly unknown[] },
  make: () => View,
) => View

export function createKeptView<View extends object>(): KeptView<View> {
  const kept = { whole: new WeakMap<object, Kept<View>>(), redacted: new WeakMap<object, Kept<View>>() }
  return ({ record, form = 'whole', sources = [] }, make) => {
    const last = kept[form].get(record)
    if (last !== undefined && sources.every((source, place) => source === last.sources[place])) return last.view
    const view = memoizedBody(make())
    kept[form].set(record, { sources, view })
    return view
  }
}
