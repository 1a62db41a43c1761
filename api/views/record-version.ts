/** The version of the record that a view shows: its answer carries it as an ETag, which `If-Match` of a write takes. */

interface Versioned {
  readonly metadata: { readonly resourceVersion?: string }
}

const versions = new WeakMap<object, string>()

/** Marks the view of one record; without a record there is no version. */
export function withVersion<View extends object>(view: View, record: Versioned | undefined): View {
  const version = record?.metadata.resourceVersion
  if (version !== undefined) versions.set(view, version)
  return view
}

/** The ETag of an answer; undefined where the view is not that of one record. */
export function etagOf(view: unknown): string | undefined {
  const version = typeof view === 'object' && view !== null ? versions.get(view) : undefined
  return version === undefined ? undefined : `"${version}"`
}
