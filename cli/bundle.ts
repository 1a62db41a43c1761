/** Builds the command line into one file that any Node from 20 on runs: `dist/svc.mjs`. */
import { chmod, glob, mkdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..')
const outfile = join(root, 'dist/svc.mjs')
const sources = ['{cli,mcp,client,contract}/**/*.ts', 'package-lock.json']

/** Packages in the old module format ask for `require`, which ES modules do not have. */
const banner = `#!/usr/bin/env node
import { createRequire as createRequireOfSvc } from 'node:module'
const require = createRequireOfSvc(import.meta.url)`

/**
 * The path of the bundle, built when it is missing or older than its sources. The version is the environment variable
 * SVC_RELEASE, else `dev`.
 */
export async function buildCli(): Promise<string> {
  if (process.env['SVC_RELEASE'] === undefined && (await isFresh())) return outfile
  const { build } = await import('esbuild')
  // Written beside the old one and renamed: a concurrent start of svc never reads half a file.
  const draft = `${outfile}.${process.pid}.tmp`
  await mkdir(dirname(outfile), { recursive: true })
  try {
    await build({
      entryPoints: [join(root, 'cli/main.ts')],
      outfile: draft,
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      minifySyntax: true,
      minifyWhitespace: true,
      legalComments: 'none',
      banner: { js: banner },
      define: { 'process.env.SVC_CLI_VERSION': JSON.stringify(process.env['SVC_RELEASE'] ?? 'dev') },
      logLevel: 'error',
    })
    await chmod(draft, 0o755)
    await rename(draft, outfile)
  } finally {
    await rm(draft, { force: true })
  }
  return outfile
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
