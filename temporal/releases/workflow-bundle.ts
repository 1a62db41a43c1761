/** The workflows as one file, bundled when first needed and cached until a source changes. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')
/** The sources of the bundle; the lock file stands for the packages. */
const sources = ['workflows/**/*.ts', 'durable/**/*.ts', 'kinds/**/*.ts', 'package-lock.json']

/** Beside the packages, since code must not be loaded from a world-writable folder. */
const cacheFolder = join(root, 'node_modules', '.cache', 'svc')

/**
 * The path of a bundle of the current sources. A separate process makes it, since the bundler needs 200 MiB, which a
 * worker would never free; it is cached, since a worker that replaces a dead one should not take two seconds more.
 * Rejects if the folder cannot be written.
 */
export async function workflowBundle(folder: string = cacheFolder): Promise<string> {
  const hash = createHash('sha256')
  for (const file of globSync(sources, { cwd: root }).toSorted())
    hash
      .update(file)
      .update('\0')
      .update(readFileSync(join(root, file)))
      .update('\0')
  const file = join(folder, `workflows-${hash.digest('hex').slice(0, 16)}.js`)
  mkdirSync(folder, { recursive: true })
  if (!existsSync(file))
    await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'bundle-workflows.ts'), file])
  return file
}
