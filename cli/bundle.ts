/**
 * Builds the command line into one file: `dist/svc.mjs`, which any Node from 20 on runs, or the script of an
 * executable.
 */
import { chmod, glob, mkdir, rename, rm, stat } from 'node:fs/promises'
import { isBuiltin } from 'node:module'
import { dirname, join } from 'node:path'
import type { BuildOptions, Plugin } from 'esbuild'

const root = join(import.meta.dirname, '..')
const outfile = join(root, 'dist/svc.mjs')
const sources = ['{cli,mcp,client,contract}/**/*.ts', 'package-lock.json']

/** Packages in the old module format ask for `require`, which ES modules do not have. */
const banner = `#!/usr/bin/env node
import { createRequire as createRequireOfSvc } from 'node:module'
const require = createRequireOfSvc(import.meta.url)`

/** The parser of the command line takes this for commands that are programs of their own, of which svc has none. */
const processes = `exports.spawn = (...args) => require('node:child_process').spawn(...args)`

/**
 * An ES module loads all that it imports before it begins; a command that asks no service needs neither HTTP nor TLS.
 * By `require` they are loaded with the part of the bundle that uses them.
 */
const loadBuiltinsOnUse: Plugin = {
  name: 'load-builtins-on-use',
  setup(bundle) {
    bundle.onResolve({ filter: /^[a-z]/ }, ({ path, namespace }) =>
      isBuiltin(path) && namespace !== 'builtin'
        ? { path: path.replace(/^node:/, ''), namespace: 'builtin' }
        : undefined,
    )
    bundle.onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: path === 'child_process' ? processes : `module.exports = require(${JSON.stringify(`node:${path}`)})`,
    }))
  },
}

/**
 * The path of the bundle, built when it is missing or older than its sources. The version is the environment variable
 * SVC_RELEASE, else `dev`.
 */
export async function buildCli(): Promise<string> {
  if (process.env['SVC_RELEASE'] === undefined && (await isFresh())) return outfile
  // Written beside the old one and renamed: a concurrent start of svc never reads half a file.
  const draft = `${outfile}.${process.pid}.tmp`
  await mkdir(dirname(outfile), { recursive: true })
  try {
    await bundleInto(draft, { format: 'esm', target: 'node20', banner: { js: banner } })
    await chmod(draft, 0o755)
    await rename(draft, outfile)
  } finally {
    await rm(draft, { force: true })
  }
  return outfile
}

/** Bundles the command line and all that it imports. The version is SVC_RELEASE, else `dev`. */
export async function bundleInto(file: string, options: BuildOptions): Promise<void> {
  const { build } = await import('esbuild')
  await build({
    entryPoints: [join(root, 'cli/main.ts')],
    outfile: file,
    bundle: true,
    platform: 'node',
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: 'none',
    define: { 'process.env.SVC_CLI_VERSION': JSON.stringify(process.env['SVC_RELEASE'] ?? 'dev') },
    logLevel: 'error',
    plugins: [loadBuiltinsOnUse],
    ...options,
  })
}

async function isFresh(): Promise<boolean> {
  const built = await modified(outfile)
  if (built === undefined) return false
  for await (const path of glob(sources, { cwd: root })) {
    if (((await modified(join(root, path))) ?? 0) > built) return false
  }
  return true
}

async function modified(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.mtimeMs
}

if (import.meta.main) console.log(await buildCli())
