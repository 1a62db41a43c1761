/**
 * The patterns by which a service watches files of its repository (docs/reference/githost.md#pushes). Any editor of a
 * service may write them, so matching is bounded: no backtracking over all ways, no growing list of alternatives, and a
 * limit of steps for all patterns together, about half a second.
 */

/** Enough for a push with so many files and fifty patterns; a step is one compared character. */
const stepsMax = 5_000_000

/** The texts between the `*` of one folder or file name; `across` is a whole `**`. */
type Part = readonly string[] | 'across'

interface Budget {
  left: number
}

/**
 * Whether one of the patterns matches one of the paths: `*` is any text within a folder, `**` any folders; neither
 * matches names that begin with a dot. True as well when the steps run out: one deploy too many does less harm than a
 * missing one.
 */
export function isWatched(patterns: readonly string[], paths: readonly string[], steps = stepsMax): boolean {
  const budget: Budget = { left: steps }
  const all = patterns.map(partsOf)
  return paths.some((path) => {
    const names = path.split('/')
    return all.some((parts) => matches(parts, names, budget))
  })
}

const partsOf = (pattern: string): readonly Part[] =>
  pattern
    .split('/')
    .filter((name) => name !== '.')
    .map((name): Part => (name === '**' ? 'across' : name.split('*')))

/**
 * Only the newest `**` is extended by further folders: a match that an earlier one could find, the newest one finds as
 * well.
 */
function matches(parts: readonly Part[], names: readonly string[], budget: Budget): boolean {
  let part = 0
  let at = 0
  let newest: { part: number; at: number } | undefined
  while (at < names.length) {
    const [wanted, name = ''] = [parts[part], names[at]]
    budget.left -= name.length + 1
    if (budget.left < 0) return true
    if (wanted === 'across') {
      part += 1
      newest = { part, at }
    } else if (wanted !== undefined && fits(wanted, name)) {
      part += 1
      at += 1
    } else {
      if (newest === undefined || isHidden(names[newest.at] ?? '')) return false
      newest.at += 1
      ;({ part, at } = newest)
    }
  }
  return parts.slice(part).every((left) => left === 'across')
}

/** Each text is matched at its first occurrence, which leaves the most for the texts after it. */
function fits([first = '', ...others]: readonly string[], name: string): boolean {
  const last = others.pop()
  if (last === undefined) return name === first
  if (!name.startsWith(first) || (first === '' && isHidden(name))) return false
  let end = first.length
  for (const text of others) {
    const found = name.indexOf(text, end)
    if (found < 0) return false
    end = found + text.length
  }
  return name.length - last.length >= end && name.endsWith(last)
}

const isHidden = (name: string): boolean => name.startsWith('.')
