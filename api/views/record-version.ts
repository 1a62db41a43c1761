/** The version of the record in a view: the answer has it as ETag, for the `If-Match` of a write. */

interface Versioned {
  readonly metadata: { readonly resourceVersion?: string }
}

const versions = new WeakMap<object, string>()

/** Marks the view of one record with its version; without a record there is none. */
export function withVersion<View extends object>(view: View, record: Versioned | undefined): View {
  const version = record?.metadata.resourceVersion
  if (version !== undefined) versions.set(view, version)
  return view
}

/** The ETag of an answer; undefined for a view that is not of one record. */
export function etagOf(view: unknown): string | undefined {
  const version = typeof view === 'object' && view !== null ? versions.get(view) : undefined
  return version === undefined ? undefined : `"${version}"`
}
