/**
 * Writes down which functions of the source are entered, in their order: loaded with `--import`, it puts a call at the
 * beginning of each function of every file that is imported afterwards.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from '@swc/core'

const root = join(import.meta.dirname, '../..')
const entered: string[] = []

/** What the call at the beginning of a function is. */
Object.assign(globalThis, { enterFile: (file: string) => entered.push(file) })

/** The files whose functions were entered since the last call, one after the other: each once for every time. */
export function takeStays(): string[] {
  return entered.splice(0).filter((file, at, all) => file !== all[at - 1])
}

type Node = Record<string, unknown> & { type?: string; span?: { start: number; end: number } }
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null

/** The first words of the source that is parsed: the parser counts on from file to file, and leaves out comments. */
const first = '0;'

function marked(file: string): string {
  const text = readFileSync(join(root, file), 'utf8')
  const tree = parseSync(first + text, { syntax: 'typescript', target: 'es2024' })
  const bytes = Buffer.from(text)
  const call = `globalThis.enterFile(${JSON.stringify(file)})`
  const base = tree.span.start + first.length
  const inserts = bodiesIn(tree).flatMap(({ type, span: { start, end } }) =>
    type === 'FunctionBody'
      ? [{ at: start - base + 1, text: `${call};` }]
      : [
          { at: start - base, text: `(${call},` },
          { at: end - base, text: ')' },
        ],
  )
  let at = 0
  let result = ''
  for (const insert of inserts.toSorted((a, b) => a.at - b.at)) {
    result += bytes.toString('utf8', at, insert.at) + insert.text
    at = insert.at
  }
  return result + bytes.toString('utf8', at)
}

type Body = Node & { span: { start: number; end: number } }

/** The bodies of all functions: blocks, and the expressions of arrow functions. Inner ones come after outer ones. */
function bodiesIn(node: unknown): Body[] {
  if (Array.isArray(node)) return node.flatMap(bodiesIn)
  if (!isNode(node)) return []
  const { body } = node
  const isBody = isNode(body) && body.span !== undefined && (body.type === 'FunctionBody' || isArrow(node))
  return [...(isBody ? [body as Body] : []), ...Object.values(node).flatMap(bodiesIn)]
}

const isArrow = ({ type }: Node): boolean => type === 'ArrowFunctionExpression'

registerHooks({
  load(url, context, nextLoad) {
    const file = url.startsWith('file:') ? relative(root, fileURLToPath(url)) : '..'
    const isSource = file.endsWith('.ts') && !/^(\.\.|node_modules|test)\b/.test(file)
    return isSource ? { format: 'module-typescript', source: marked(file), shortCircuit: true } : nextLoad(url, context)
  },
})
