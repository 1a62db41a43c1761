/**
 * Builds the command line into parts that are loaded one by one (loader.ts): a command of a few lines does not wait
 * until all of the program is read and compiled.
 */
import { isBuiltin } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Metafile, Plugin } from 'esbuild'
import { start } from './loader.ts'

const root = join(import.meta.dirname, '../..')
/** Parts above this size are compressed. Below it, loading what decompresses takes longer than reading more text. */
const largePart = 6 * 1024

export interface Parts {
  /** The loader and the parts that every command needs; it begins with those, given `builtin` and `readLines`. */
  readonly script: string
  /** The lines with the other parts. */
  readonly lines: string
}

/** @param target the oldest program that runs it, as esbuild names it: `node20`. */
export async function buildParts(target: string): Promise<Parts> {
  const { build, transform } = await import('esbuild')
  const small = { target, minifySyntax: true, minifyWhitespace: true, legalComments: 'none', platform: 'node' } as const
  const { outputFiles, metafile } = await build({
    ...small,
    entryPoints: [join(root, 'cli/main.ts')],
    outdir: join(root, 'dist/parts'),
    write: false,
    metafile: true,
    bundle: true,
    splitting: true,
    format: 'esm',
    define: { 'process.env.SVC_CLI_VERSION': JSON.stringify(process.env['SVC_RELEASE'] ?? 'dev') },
    logLevel: 'error',
    plugins: [loadBuiltinsOnUse, oneLanguage],
  })
  const { entry, needed } = neededAtOnce(metafile)
  const inFile: string[] = []
  const lines: string[] = ['']
  for (const { path, text } of outputFiles) {
    const id = `./${basename(path)}`
    // Functions that are called at once are best compiled at once, which parentheses ask for.
    const options = {
      ...small,
      minifyIdentifiers: true,
      format: 'cjs',
      supported: { 'dynamic-import': false },
    } as const
    const { code } = await transform(text, options)
    if (needed.has(id)) inFile.push(`${JSON.stringify(id)}:(function(require,module,exports){${code}})`)
    else lines.push(`//part ${id} ${code.length > largePart ? compressed(code) : JSON.stringify(code)}`)
  }
  const loader = await transform(`const svcStart=${start.toString()}`, small)
  const call = `svcStart({entry:${JSON.stringify(entry)},parts:{${inFile.join(',\n')}},builtin,readLines})`
  return { script: `${loader.code}${call}\n`, lines: `${lines.join('\n')}\n` }
}

const compressed = (code: string): string => gzipSync(code, { level: 9 }).toString('base64')

/** The part with `main.ts`, and those that it imports before it runs. */
function neededAtOnce({ outputs }: Metafile): { entry: string; needed: ReadonlySet<string> } {
  const main = Object.keys(outputs).find((path) => outputs[path]?.entryPoint?.endsWith('cli/main.ts') === true)
  if (main === undefined) throw new Error('the bundle has no entry')
  const needed = new Set<string>()
  const visit = (path: string): void => {
    const id = `./${basename(path)}`
    if (needed.has(id)) return
    needed.add(id)
    for (const { kind, path: imported, external } of outputs[path]?.imports ?? [])
      if (kind === 'import-statement' && external !== true) visit(imported)
  }
  visit(main)
  return { entry: `./${basename(main)}`, needed }
}

/**
 * What the parser of the command line asks of Node, and uses for help and for commands that are programs of their own,
 * which svc has none of: the mere import takes longer than a short command.
 */
const ofParser: Readonly<Record<string, string>> = {
  'node:child_process': `export default { spawn: (...args) => require('node:child_process').spawn(...args) }`,
  'node:fs': `export default { existsSync: () => false, realpathSync: (path) => path }`,
  'node:process': `export default process`,
  'node:util': `export const stripVTControlCharacters = (text) => require('node:util').stripVTControlCharacters(text)`,
}

/**
 * An ES module loads all that it imports before it begins; a command that asks no service needs neither HTTP nor TLS.
 * By `require` they are loaded with the part of the bundle that uses them. What a part imports while it runs is left as
 * it is: wrapped, it would have no names of its own.
 */
const loadBuiltinsOnUse: Plugin = {
  name: 'load-builtins-on-use',
  setup(bundle) {
    bundle.onResolve({ filter: /^[a-z]/ }, ({ path, namespace, importer, kind }) => {
      if (!isBuiltin(path) || namespace === 'builtin') return undefined
      const id = path.startsWith('node:') ? path : `node:${path}`
      if (kind === 'dynamic-import') return { path: id, external: true }
      const isOfParser = importer.includes('/node_modules/commander/') && id in ofParser
      return { path: id, namespace: 'builtin', ...(isOfParser ? { suffix: '?parser', pluginData: ofParser[id] } : {}) }
    })
    bundle.onLoad({ filter: /./, namespace: 'builtin' }, ({ path, pluginData }) => ({
      contents: typeof pluginData === 'string' ? pluginData : `module.exports = require(${JSON.stringify(path)})`,
    }))
  },
}

/** The schemas' library brings its messages in fifty languages, a fifth of the program; svc speaks one. */
const oneLanguage: Plugin = {
  name: 'one-language',
  setup(bundle) {
    bundle.onLoad({ filter: /[/\\]zod[/\\]v4[/\\]locales[/\\]index\.js$/ }, ({ path }) => ({
      contents: `export { default as en } from './en.js'`,
      resolveDir: dirname(path),
    }))
  },
}
