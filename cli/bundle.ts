/** Builds the command line into one file, `dist/svc.mjs`, which any Node from 20 on runs. */
import { chmod, glob, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { buildParts } from './packing/parts.ts'

const root = join(import.meta.dirname, '..')
const outfile = join(root, 'dist/svc.mjs')
const sources = ['{cli,mcp,client,contract}/**/*.ts', 'package-lock.json']

/** The lines with parts are comments of this file, which a command reads again when it needs one of them. */
const head = `#!/usr/bin/env node
const builtin = process.getBuiltinModule ?? (await import('node:module')).createRequire(import.meta.url)
const readLines = () =>
  builtin('node:fs').readFileSync(builtin('node:url').fileURLToPath(import.meta.url), 'latin1')
`

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
    const { script, lines } = await buildParts('node20')
    await writeFile(draft, `${head}${script}${lines}`)
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
