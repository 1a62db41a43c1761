/** Decides whether labels match a selector, like the API server does: a=b, a!=b, a, !a, a in (x,y), a notin (x,y). */

type Requirement = (labels: Record<string, string>) => boolean

const setForm = /^([^\s!=,()]+)\s+(in|notin)\s+\(([^)]*)\)$/
const equalityForm = /^([^\s!=,()]+)\s*(==|=|!=)\s*([^\s!=,()]*)$/
const existsForm = /^(!?)\s*([^\s!=,()]+)$/

/** Throws TypeError for text that is no selector. An empty or missing selector matches everything. */
export function parseLabelSelector(
  selector: string | undefined,
): (labels: Record<string, string> | undefined) => boolean {
  const parts = (selector ?? '')
    .split(/,(?![^(]*\))/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
  const requirements = parts.map(parseRequirement)
  return (labels) => requirements.every((holds) => holds(labels ?? {}))
}

function parseRequirement(part: string): Requirement {
  const set = setForm.exec(part)
  if (set !== null) {
    const [, key = '', operator, list = ''] = set
    const values = list.split(',').map((value) => value.trim())
    return (labels) => {
      const value = labels[key]
      return (value !== undefined && values.includes(value)) === (operator === 'in')
    }
  }
  const equality = equalityForm.exec(part)
  if (equality !== null) {
    const [, key = '', operator, value = ''] = equality
    return (labels) => (labels[key] === value) === (operator !== '!=')
  }
  const exists = existsForm.exec(part)
  if (exists !== null) {
    const [, not, key = ''] = exists
    return (labels) => (labels[key] !== undefined) === (not === '')
  }
  throw new TypeError(`not a label selector: ${part}`)
}
