/**
 * The patterns by which a service watches files of its repository (docs/reference/githost.md#pushes). Their writer need
 * not be the operator of the workers, so a match takes no longer than its pattern and path are long: no expression that
 * is tried in many ways, and no list of alternatives that grows.
 */

/** The texts between the `*` of one folder or file name; `across` is a whole `**`. */
type Part = readonly string[] | 'across'

/** `*` is any text within a folder, `**` any folders; both leave out names with a dot in front. */
export function watchPattern(pattern: string): (path: string) => boolean {
  const parts = pattern
    .split('/')
    .filter((name) => name !== '.')
    .map((name): Part => (name === '**' ? 'across' : name.split('*')))
  return (path) => matches(parts, path.split('/'))
}

/** Only the newest `**` is given more folders: what an earlier one would leave behind, the newest one finds as well. */
function matches(parts: readonly Part[], names: readonly string[]): boolean {
  let part = 0
  let at = 0
  let newest: { part: number; at: number } | undefined
  while (at < names.length) {
    const wanted = parts[part]
    if (wanted === 'across') {
      part += 1
      newest = { part, at }
    } else if (wanted !== undefined && fits(wanted, names[at] ?? '')) {
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

/** Each text is taken where it comes first: any later place would leave less for those behind it. */
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
