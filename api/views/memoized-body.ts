/** Answers that are handed out again and again while nothing changes: their JSON is made once. */

/** Keyed by the answer itself, so an answer that nobody holds any more takes its bytes with it. */
const made = new WeakMap<object, { bytes?: Buffer; make: () => Buffer }>()

/** Marks a view that a handler will answer with again; it must not be changed afterwards. */
export function memoizedBody<View extends object>(
  view: View,
  make: () => Buffer = () => Buffer.from(JSON.stringify(view)),
): View {
  made.set(view, { make })
  return view
}

/** The JSON of a marked view, encoded: long texts cost more to encode than to send. Undefined for any other. */
export function bytesOf(view: unknown): Buffer | undefined {
  if (typeof view !== 'object' || view === null) return undefined
  const entry = made.get(view)
  if (entry === undefined) return undefined
  entry.bytes ??= entry.make()
  return entry.bytes
}
