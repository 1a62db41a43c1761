/** The workflows as one file: the one of the image, or one bundled on first need and kept until a source changes. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, globSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const root = join(import.meta.dirname, '../..')
/** What the bundle is made of; the lock file stands for the packages. */
const sources = ['workflows/**/*.ts', 'durable/**/*.ts', 'kinds/**/*.ts', 'package-lock.json']

/** Beside the packages; a world-writable folder is no place for code. */
const cacheFolder = join(root, 'node_modules', '.cache', 'svc')

/**
 * The path of a bundle of the present sources. Made in a process of its own, since the bundler needs 200 MiB that a
 * worker would hold ever after, and two seconds that a worker started in place of a dead one should not take. Rejects
 * where the folder cannot be written.
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
