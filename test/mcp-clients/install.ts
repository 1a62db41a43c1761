/** The official clients of other makers' programs, installed once into the cache of this machine. */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { locateCache } from '../../one-machine/index.ts'
import { pythonWith } from '../harness/python.ts'

const run = promisify(execFile)

const packages = { '@modelcontextprotocol/inspector': '2.12.0', '@modelcontextprotocol/conformance': '0.1.16' }

export const pythonWithClient = (): Promise<string> => pythonWith('MCP', join(import.meta.dirname, 'requirements.txt'))

/** The folder with the packages. @throws when the registry cannot be reached. */
export async function npmClients(): Promise<string> {
  const place = join(locateCache(process.env), 'npm', `mcp-${Object.values(packages).join('-')}`)
  if (existsSync(place)) return place
  console.log('      installing the inspector and the conformance runner from npm; about a minute, once')
  const draft = `${place}.${process.pid}`
  mkdirSync(draft, { recursive: true })
  try {
    writeFileSync(join(draft, 'package.json'), JSON.stringify({ private: true, dependencies: packages }))
    await run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], { cwd: draft })
    mkdirSync(dirname(place), { recursive: true })
    // Whole or not there at all; another run may have been quicker.
    if (!existsSync(place)) renameSync(draft, place)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return place
}
