/** `deploy/chart/README.md`: the values of the chart, each with its default and its comment in `values.yaml`. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isCollection, isMap, isScalar, type Pair, parseDocument, stringify } from 'yaml'

export const chartReadmePath = 'deploy/chart/README.md'

const head = `# The chart of svc

<!-- Made from values.yaml by \`npm run generate\`; edit that. -->

[Installing with Helm](../../docs/guides/installing-with-helm.md) says how it is used.

| value | default | meaning |
|---|---|---|
`

interface Row {
  readonly path: string
  /** YAML on one line; undefined for a group of values. */
  readonly preset: string | undefined
  readonly meaning: string
}

/** The text of the page. */
export function makeChartReadme(): string {
  const text = readFileSync(join(import.meta.dirname, '../../deploy/chart/values.yaml'), 'utf8')
  const rows = rowsOf(parseDocument(text).contents, '').filter(
    ({ preset, meaning }) => preset !== undefined || meaning !== '',
  )
  return head + rows.map(lineOf).join('')
}

/** Maps in block style are groups, everything else is one value. */
function rowsOf(node: unknown, parent: string, first = ''): Row[] {
  if (!isMap(node)) throw new Error(`${parent} of values.yaml is no map`)
  return node.items.flatMap((pair, index) => rowsOfPair(pair, parent, index === 0 ? first : ''))
}

function rowsOfPair({ key, value }: Pair, parent: string, first: string): Row[] {
  if (!isScalar(key)) throw new Error(`a key in ${parent || 'values.yaml'} is no word`)
  const path = parent === '' ? String(key.value) : `${parent}.${String(key.value)}`
  const meaning = (key.commentBefore ?? first).replaceAll(/\s*\n\s*/g, ' ').trim()
  if (isMap(value) && value.flow !== true)
    // The comment of a map's first key belongs to the map in the parser's model.
    return [{ path, preset: undefined, meaning }, ...rowsOf(value, path, value.commentBefore ?? '')]
  const plain: unknown = isCollection(value) ? value.toJSON() : isScalar(value) ? value.value : undefined
  return [{ path, preset: stringify(plain, { collectionStyle: 'flow', singleQuote: true }).trim(), meaning }]
}

const lineOf = ({ path, preset, meaning }: Row): string =>
  `| \`${path}\` | ${preset === undefined ? '' : `\`${preset}\``} |${meaning === '' ? '' : ` ${meaning}`} |\n`
