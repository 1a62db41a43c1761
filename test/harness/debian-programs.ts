/** Programs of Debian packages for tests: those of this machine, or else unpacked into the cache without an install. */
import { execFile } from 'node:child_process'
import { accessSync, constants, existsSync, globSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import { aptIsHere, locateCache, withLists } from '../../one-machine/index.ts'

const run = promisify(execFile)

export interface Programs {
  /** The root of the programs' own files (`usr/share` and the like): `/`, or the unpacked packages. */
  root: string
  /** Absolute path of a program; throws when no package contains it. */
  path(name: string): string
  /** Environment variables with which the programs find their libraries. */
  env: Record<string, string>
}

/** Folders of servers that are not on the PATH of an ordinary user; globs below a root. */
const folders = ['usr/bin', 'usr/sbin', 'bin', 'usr/lib/postgresql/*/bin']

/**
 * `programs` from these packages. Throws a plain sentence when they are neither on this machine nor can be unpacked.
 */
export async function debianPrograms(packages: readonly string[], programs: readonly string[]): Promise<Programs> {
  const here = programsIn('/', (process.env['PATH'] ?? '').split(delimiter), programs)
  if (here !== undefined) return here
  if (!aptIsHere())
    throw new Error(
      `install the programs ${programs.join(', ')}, which Debian has in the packages ${packages.join(', ')}`,
    )
  const root = join(locateCache(process.env), 'debian', packages.join('+'))
  if (!existsSync(root)) await unpack(packages, root)
  const unpacked = programsIn(root, [], programs)
  if (unpacked === undefined) throw new Error(`the packages ${packages.join(', ')} do not hold ${programs.join(', ')}`)
  return unpacked
}

function programsIn(root: string, path: readonly string[], programs: readonly string[]): Programs | undefined {
  const places = [...path, ...globSync(folders.map((folder) => join(root, folder)))]
  const found = new Map(programs.map((name) => [name, places.map((place) => join(place, name)).find(isExecutable)]))
  if ([...found.values()].includes(undefined)) return undefined
  const libraries = root === '/' ? [] : globSync(join(root, 'usr/lib/*-linux-gnu'))
  return {
    root,
    env: libraries.length === 0 ? {} : { LD_LIBRARY_PATH: libraries.join(delimiter) },
    path(name) {
      const place = found.get(name)
      if (place === undefined) throw new Error(`${name} was not asked for`)
      return place
    },
  }
}

/** Downloads the packages and dependencies that this machine lacks; the folder appears complete or not at all. */
async function unpack(packages: readonly string[], root: string): Promise<void> {
  await mkdir(join(root, '..'), { recursive: true })
  const draft = await mkdtemp(`${root}.`)
  try {
    console.log(`      unpacking Debian packages: ${packages.join(' ')}`)
    const downloads = join(draft, 'downloads')
    await mkdir(downloads)
    await withLists(async () =>
      run('apt-get', ['-q', 'download', ...(await missingPackages(packages))], { cwd: downloads }),
    )
    const tree = join(draft, 'tree')
    for (const file of await readdir(downloads)) await run('dpkg-deb', ['--extract', join(downloads, file), tree])
    await rename(tree, root).catch((error: unknown) => {
      if (!existsSync(root)) throw error // otherwise another run was faster
    })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
}

/** The packages that apt would install; nothing is installed. */
async function missingPackages(packages: readonly string[]): Promise<string[]> {
  const { stdout } = await run('apt-get', ['-q', '--simulate', 'install', '--no-install-recommends', ...packages])
  const names = [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, name = '']) => name)
  return names.length === 0 ? [...packages] : names
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
