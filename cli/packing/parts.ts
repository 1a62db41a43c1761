/**
 * Builds the command line into parts that are loaded one by one (loader.ts): a command of a few lines does not wait
 * until all of the program is read and compiled. What `cli/main.ts` imports before it runs stands in the script; what
 * `cli/process.ts` does is needed by every command that goes the usual way.
 */
import { isBuiltin } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Metafile, Plugin } from 'esbuild'
import { start } from './loader.ts'

const root = join(import.meta.dirname, '../..')
/**
 * Parts above this size are compressed, unless every command but one needs them. Below it, loading what decompresses
 * takes longer than reading more text.
 */
const largePart = 6 * 1024

export interface Parts {
  /** The loader and the parts that a start needs; it begins with those, given `builtin` and `readLines`. */
  readonly script: string
  /** The lines with the other parts. */
  readonly lines: string
  /** The files that all of it is made of, as paths from the root of the project. */
  readonly sources: readonly string[]
}

/**
 * @param target the oldest program that runs it, as esbuild names it: `node20`.
 * @param compiled whether the script is compiled ahead: then the parts of the usual way stand in it. Else they are
 * lines, which the short way of `cli/main.ts` neither compiles nor waits for.
 */
export async function buildParts(target: string, { compiled = false } = {}): Promise<Parts> {
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
  const { entry, first, usual } = neededAtOnce(metafile)
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
    if (first.has(id) || (usual.has(id) && compiled)) inFile.push(`${JSON.stringify(id)}:(${asFunction(code)})`)
    else {
      const isCompressed = code.length > largePart && !usual.has(id)
      lines.push(`//part ${id} ${isCompressed ? compressed(code) : JSON.stringify(code)}`)
    }
  }
  const loader = await transform(`const svcStart=${start.toString()}`, small)
  const call = `svcStart({entry:${JSON.stringify(entry)},parts:{${inFile.join(',\n')}},builtin,readLines})`
  return { script: `${loader.code}${call}\n`, lines: `${lines.join('\n')}\n`, sources: Object.keys(metafile.inputs) }
}

const asFunction = (code: string): string => `function(require,module,exports){${code}}`
const compressed = (code: string): string => gzipSync(code, { level: 9 }).toString('base64')

/** The part that is run, those that it imports before, and those more that the usual way does. */
function neededAtOnce({ outputs }: Metafile) {
  const partOf = (source: string): string => {
    const part = Object.keys(outputs).find((path) => outputs[path]?.entryPoint?.endsWith(source) === true)
    if (part === undefined) throw new Error(`no part of the bundle begins with ${source}`)
    return part
  }
  const importedBy = (begin: string): ReadonlySet<string> => {
    const needed = new Set<string>()
    const visit = (path: string): void => {
      const id = `./${basename(path)}`
      if (needed.has(id)) return
      needed.add(id)
      for (const { kind, path: imported, external } of outputs[path]?.imports ?? [])
        if (kind === 'import-statement' && external !== true) visit(imported)
    }
    visit(begin)
    return needed
  }
  const main = partOf('cli/main.ts')
  const first = importedBy(main)
  const usual = [...importedBy(partOf('cli/process.ts'))].filter((id) => !first.has(id))
  return { entry: `./${basename(main)}`, first, usual: new Set(usual) }
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
