/** Answers that are sent again and again while nothing changes: their JSON is made once. */

type Json = Buffer | string

/** Keyed by the answer itself, so that the JSON is freed with it. */
const made = new WeakMap<object, { json?: Json; make: () => Json }>()

/**
 * Shorter JSON is kept as text: Node sends it in one piece with the head of the answer. A longer text costs more to
 * encode than to send, so it is kept encoded.
 */
const shortText = 1024

/** Marks a view that a handler will return again; it must not change afterwards. */
export function memoizedBody<View extends object>(view: View, make: () => Json = () => encoded(view)): View {
  made.set(view, { make })
  return view
}

/** The JSON of a view; that of a marked one is made once. */
export function jsonOf(view: unknown): Json {
  const entry = typeof view === 'object' && view !== null ? made.get(view) : undefined
  if (entry === undefined) return JSON.stringify(view)
  entry.json ??= entry.make()
  return entry.json
}

function encoded(view: object): Json {
  const text = JSON.stringify(view)
  return text.length < shortText ? text : Buffer.from(text)
}
