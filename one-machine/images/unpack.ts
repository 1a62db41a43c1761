/**
 * Folders with the files of an engine's packages, unpacked from Debian's archive or the Python index: kept in the cache
 * of this machine.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { lstat, mkdir, mkdtemp, readdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { withLists } from '../debian/apt.ts'
import { aptIsHere } from '../debian/packages.ts'
import { locateCache } from '../servers/cache.ts'
import type { LayerEntry } from './layer.ts'
import { run } from './run.ts'

export interface Packages {
  /** Debian packages that are unpacked in full; of their dependencies only the libraries. */
  readonly debian: readonly string[]
  /** One line of a pip requirements file with its hash, where Debian has no such version. */
  readonly wheel?: string
  /** One package of npm, with the hash of its archive. */
  readonly npm?: { readonly name: string; readonly integrity: string }
}

type Progress = (line: string) => void

/**
 * The folder of the unpacked packages. It appears complete or not at all; a changed list is another folder. Throws one
 * sentence where apt-get, dpkg-deb or pip are missing or do not reach their archives.
 */
export async function unpackPackages(name: string, packages: Packages, progress: Progress): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(packages)).digest('hex').slice(0, 12)
  const cache = join(locateCache(process.env), 'images')
  const place = join(cache, `${name}-${hash}`)
  if (existsSync(place)) return place
  if (!aptIsHere()) throw new Error(`the image of ${name} is made of Debian packages, which this system has none of`)
  progress(`fetching the packages of ${name}`)
  await mkdir(cache, { recursive: true })
  const draft = await mkdtemp(join(cache, 'making-'))
  try {
    const root = join(draft, 'root')
    const files = join(draft, 'files')
    for (const folder of [root, files]) await mkdir(folder)
    await unpackDebian(packages.debian, files, root)
    if (packages.wheel !== undefined) await unpackWheel(packages.wheel, draft, join(root, 'opt', name))
    if (packages.npm !== undefined) await unpackNpm(packages.npm, draft, join(root, 'opt', name))
    await rename(root, place)
  } catch (cause) {
    if (existsSync(place)) return place // another process was faster
    throw new Error(`the image of ${name} cannot be made: ${lastLine(cause)}`, { cause })
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  return place
}

async function unpackDebian(wanted: readonly string[], files: string, root: string): Promise<void> {
  await withLists(async () => run('apt-get', ['-q', 'download', ...(await withLibraries(wanted))], { cwd: files }))
  for (const file of (await readdir(files)).sort()) await run('dpkg-deb', ['-x', join(files, file), root])
  for (const folder of [
    'usr/share/doc',
    'usr/share/man',
    'usr/share/locale',
    'usr/share/lintian',
    'lib/systemd',
    'usr/lib/systemd',
  ])
    await rm(join(root, folder), { recursive: true, force: true })
  // Where the system has merged /lib into /usr, packages contain only the latter, and programs name the loader by the
  // former.
  for (const folder of ['lib', 'lib64'])
    if (!existsSync(join(root, folder)) && existsSync(join(root, 'usr', folder)))
      await symlink(`usr/${folder}`, join(root, folder))
}

/** The packages and the transitive closure of their libraries: an image needs no maintainer's scripts. */
async function withLibraries(wanted: readonly string[]): Promise<string[]> {
  const all = new Set(wanted)
  for (let newest = [...wanted]; newest.length > 0;) {
    const { stdout } = await run('apt-cache', [
      'depends',
      '--no-recommends',
      '--no-suggests',
      '--no-conflicts',
      '--no-breaks',
      '--no-replaces',
      '--no-enhances',
      ...newest,
    ])
    const names = [...stdout.matchAll(/^ [ |](?:Pre)?Depends: ((?:lib|zlib|lua)\S+)$/gm)].flatMap(
      ([, name]) => name ?? [],
    )
    newest = names.filter((name) => !all.has(name))
    for (const name of newest) all.add(name)
  }
  return [...all]
}

/**
 * The Linux wheel for this machine's architecture, for any version of Python: only its non-Python contents are used.
 */
async function unpackWheel(requirement: string, draft: string, target: string): Promise<void> {
  const list = join(draft, 'requirements.txt')
  await writeFile(list, `${requirement}\n`)
  const chosen = [
    '--no-deps',
    '--only-binary',
    ':all:',
    '--python-version',
    '3.12',
    '--platform',
    'manylinux2014_x86_64',
  ]
  await run('python3', [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--require-hashes',
    ...chosen,
    '--target',
    target,
    '-r',
    list,
  ])
}

/** Throws where the archive is another one than the pinned. */
async function unpackNpm(
  { name, integrity }: NonNullable<Packages['npm']>,
  draft: string,
  target: string,
): Promise<void> {
  const { stdout } = await run('npm', ['pack', name, '--silent', '--pack-destination', draft], { cwd: draft })
  const archive = join(draft, stdout.trim().split('\n').at(-1) ?? '')
  const found = `sha512-${createHash('sha512')
    .update(await readFile(archive))
    .digest('base64')}`
  if (found !== integrity) throw new Error(`${name} is not the one that is known`)
  await mkdir(target, { recursive: true })
  await run('tar', ['-xzf', archive, '--strip-components=1', '-C', target])
}

/** Everything below a folder as entries of a layer, in a fixed order. */
export async function entriesOf(root: string, below = ''): Promise<LayerEntry[]> {
  const names = (await readdir(join(root, below))).sort()
  const nested = await Promise.all(
    names.map(async (name): Promise<LayerEntry[]> => {
      const path = below === '' ? name : `${below}/${name}`
      const kind = await lstat(join(root, path))
      if (kind.isDirectory()) return [{ path, folder: true }, ...(await entriesOf(root, path))]
      return [
        kind.isSymbolicLink() ? { path, link: await readlink(join(root, path)) } : { path, program: join(root, path) },
      ]
    }),
  )
  return nested.flat()
}

function lastLine(cause: unknown): string {
  const text = cause instanceof Error && 'stderr' in cause && cause.stderr !== '' ? String(cause.stderr) : String(cause)
  return text.trim().split('\n').at(-1) ?? ''
}
