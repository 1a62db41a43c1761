/** Keeps an answer within what an agent can read: long lists lose items, long texts their middle, and it is said. */
import { agentResultCharacters } from '../../contract/limits.ts'

/** What every output schema has beside the answer itself. */
export const cutField = 'cut'

export interface CutOptions {
  /** Which end of a list stays: of a log the newest lines are last. */
  readonly keep: 'first' | 'last'
}

/** No fixed shape of an answer has more fields; more are a map of names, such as variables. */
const fixedFieldsMax = 50
/** Characters kept for the sentence and its field. */
const sentenceLength = 200

/** The object itself where it is short enough, else one of the same shape with `cut` saying what happened. */
export function cutToSize(
  structured: Readonly<Record<string, unknown>>,
  { keep }: CutOptions,
  max = agentResultCharacters,
): Readonly<Record<string, unknown>> {
  const length = JSON.stringify(structured).length
  if (length <= max) return structured
  const sentence = `the result had ${length} characters and was cut to ${max}: lists are not whole${keep === 'last' ? ', their newest items are shown' : ''}; ask for less`
  for (const [items, characters] of steps) {
    const smaller = shrink(structured, { items, characters, keep }) as Record<string, unknown> // of an object
    if (JSON.stringify(smaller).length <= max - sentenceLength) return { ...smaller, [cutField]: sentence }
  }
  throw new Error(`a result of ${length} characters cannot be cut to ${max}`)
}

/** A text that is within the limit; a cut is said at its end. */
export function cutText(text: string, max = agentResultCharacters): string {
  if (text.length <= max) return text
  const sentence = `\n[the result had ${text.length} characters and was cut to ${max}; ask for less]`
  return text.slice(0, max - sentence.length) + sentence
}

/** How many items and characters may stay, from mild to harsh; the first that fits is taken. */
const steps: readonly (readonly [items: number, characters: number])[] = [
  ...[700, 500, 350, 250, 180, 130, 90, 65].map((items) => [items, 4000] as const),
  ...[65, 45, 30, 20, 14, 10].map((items) => [items, 1000] as const),
  ...[10, 7, 5, 3, 2, 1].map((items) => [items, 300] as const),
  [1, 100],
  [0, 50],
]

interface Shrinking extends CutOptions {
  items: number
  characters: number
}

function shrink(value: unknown, how: Shrinking): unknown {
  if (typeof value === 'string') return shortText(value, how.characters)
  if (Array.isArray(value)) return (how.keep === 'first' ? value.slice(0, how.items) : last(value, how.items)).map(each)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value)
  const kept = fields.length > fixedFieldsMax ? fields.slice(0, Math.max(how.items, 1)) : fields
  return Object.fromEntries(kept.map(([name, field]) => [name, each(field)]))

  function each(inner: unknown): unknown {
    return shrink(inner, how)
  }
}

const last = (list: readonly unknown[], count: number): readonly unknown[] => (count === 0 ? [] : list.slice(-count))

function shortText(text: string, max: number): string {
  if (text.length <= max) return text
  const half = Math.floor(max / 2)
  return `${text.slice(0, half)} … ${text.slice(-half)}`
}
