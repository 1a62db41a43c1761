/** Answers that are handed out again and again while nothing changes: their JSON is made once. */

/** Keyed by the answer itself, so an answer that nobody holds any more takes its text with it. */
const texts = new WeakMap<object, { text?: string }>()

/** Marks a view that a handler will answer with again; it must not be changed afterwards. */
export function remembered<View extends object>(view: View): View {
  texts.set(view, {})
  return view
}

/** The JSON of a marked view; undefined for any other. */
export function textOf(view: unknown): string | undefined {
  if (typeof view !== 'object' || view === null) return undefined
  const entry = texts.get(view)
  if (entry === undefined) return undefined
  entry.text ??= JSON.stringify(view)
  return entry.text
}
