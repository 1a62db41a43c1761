/** Python packages in a virtual environment in the cache of this machine, made once for each list of packages. */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { locateCache } from '../../one-machine/index.ts'

const run = promisify(execFile)

/**
 * The absolute path of a Python interpreter that has the packages of a requirements file. Throws a plain sentence when
 * it cannot be made. @param what their name for people, e.g. `Schemathesis`
 */
export async function pythonWith(what: string, requirements: string): Promise<string> {
  const digest = createHash('sha256').update(readFileSync(requirements)).digest('hex').slice(0, 16)
  const place = join(locateCache(process.env), 'python', `${what.toLowerCase()}-${digest}`)
  const python = join(place, 'bin', 'python')
  // False for a link to an interpreter that is gone.
  if (existsSync(python)) return python
  const draft = `${place}.${process.pid}`
  mkdirSync(dirname(place), { recursive: true })
  try {
    await make(what, requirements, draft)
    if (existsSync(python)) return python // another run was faster, and uses it
    rmSync(place, { recursive: true, force: true })
    // Appears complete or not at all; only scripts that we do not use contain its path.
    renameSync(draft, place)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return python
}

/** Python itself compiles the modules that are used, which are a small part of what is installed. */
const thrifty = ['--no-compile', '--disable-pip-version-check']

async function make(what: string, requirements: string, place: string): Promise<void> {
  console.log(`      installing ${what} from the Python package index; about half a minute, once`)
  try {
    await run('python3', ['-m', 'venv', place])
  } catch (error) {
    throw new Error(
      `${what} needs python3 with its venv module (on Debian: apt-get install python3 python3-venv): ${saidBy(error)}`,
      { cause: error },
    )
  }
  try {
    await run(join(place, 'bin', 'python'), [
      '-m',
      'pip',
      'install',
      '--quiet',
      ...thrifty,
      '--requirement',
      requirements,
    ])
  } catch (error) {
    throw new Error(`${what} could not be installed: ${saidBy(error)}`, { cause: error })
  }
}

function saidBy(error: unknown): string {
  const { stderr = '', message = '' } = error as { stderr?: string; message?: string } // the rejection of execFile
  return (stderr.trim() === '' ? message : stderr).trim().split('\n').slice(-3).join(' ')
}
