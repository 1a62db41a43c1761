/**
 * Builds the command line into one executable with Node inside, for machines that have no Node: `npm run
 * pack:executable` prints its path, `dist/svc-linux-x64`. It is Node's own single executable application
 * (docs/reference/command-line.md#packages-pages-and-completions), for the processor of the Node that builds it:
 *
 * 1. The parts of the program become a script without `import()`, which a script with a code cache cannot have.
 * 2. Node makes a blob of it, with the code cache that spares compiling at each start of the parts in the script.
 * 3. The blob goes into a copy of that Node, and a mark in it says that the copy has one.
 */
import { execFile } from 'node:child_process'
import { chmod, copyFile, mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { buildParts } from './packing/parts.ts'

const run = promisify(execFile)
const injector = fileURLToPath(import.meta.resolve('postject/dist/cli.js'))

/** The lines with the parts are an asset of the executable. */
const head = `const builtin = require
const readLines = () => require('node:sea').getAsset('parts', 'utf8')
`

/** Where a start of Node looks for a blob, and the mark that says whether there is one; both are Node's. */
const resource = 'NODE_SEA_BLOB'
const sentinelFuse = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'

/**
 * The path of the executable. The version is the environment variable SVC_RELEASE, else `dev`.
 * @param into the folder it gets.
 * @throws on another system than Linux, where a changed program has to be signed again, and where this Node takes no
 * blob, as some of distributions.
 */
export async function buildExecutable(into: string): Promise<string> {
  if (process.platform !== 'linux') throw new Error('the executable is built on Linux')
  const place = join(into, `svc-linux-${process.arch}`)
  // In the same folder: the finished file is renamed, so no process starts half of it.
  const work = await mkdtemp(join(into, 'executable-'))
  try {
    const [script, blob, config] = [join(work, 'svc.cjs'), join(work, 'svc.blob'), join(work, 'sea.json')]
    const parts = join(work, 'parts')
    const draft = join(work, 'svc')
    const built = await buildParts('node24', { compiled: true })
    await writeFile(script, `${head}${built.script}`)
    await writeFile(parts, built.lines)
    const settings = { main: script, output: blob, disableExperimentalSEAWarning: true, useCodeCache: true }
    await writeFile(config, JSON.stringify({ ...settings, assets: { parts } }))
    await run(process.execPath, ['--experimental-sea-config', config])
    await copyFile(process.execPath, draft)
    await chmod(draft, 0o755)
    await run(process.execPath, [injector, draft, resource, blob, '--sentinel-fuse', sentinelFuse])
    await rename(draft, place)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  return place
}

if (import.meta.main) {
  const dist = join(import.meta.dirname, '../dist')
  await mkdir(dist, { recursive: true })
  console.log(await buildExecutable(dist))
}
