/**
 * What generated Dockerfiles begin with, for a node that reaches no registry: each tool with its package manager, out
 * of packages and programs of this machine.
 */
import { execFile } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { busyboxEntries, type Image } from '../../../one-machine/images/catalogue.ts'
import { fillRegistry } from '../../../one-machine/images/fill.ts'
import type { LayerEntry } from '../../../one-machine/images/layer.ts'
import { entriesOf, unpackPackages } from '../../../one-machine/images/unpack.ts'

const run = promisify(execFile)
const busybox = '/bin/busybox'

/** The names by which generated Dockerfiles find them. */
export const baseNames = {
  node: 'svc-test/node:1',
  bun: 'svc-test/bun:1',
  python: 'svc-test/python:1',
  go: 'svc-test/go:1',
  run: 'busybox:latest',
  static: 'busybox:latest',
} as const

type Base = 'node' | 'bun' | 'python' | 'go'
const libraries = ['libc6', 'libstdc++6', 'libgcc-s1', 'libatomic1']
const python = ['python3.11', 'python3.11-minimal', 'libpython3.11-minimal', 'libpython3.11-stdlib', 'media-types']
const pip = ['python3-pip', 'python3-setuptools', 'python3-wheel', 'python3-distutils', 'python3-lib2to3']

/** Pushes all of them into the registry, `host:port`. */
export async function pushBases(registry: string, noteFile: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'svc-bases-'))
  try {
    for (const base of ['node', 'python', 'bun', 'go'] as const)
      await fillRegistry(`http://${registry}`, noteFile, [await imageOf(base, folder)], console.log)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function imageOf(base: Base, folder: string): Promise<Image> {
  const [repository = '', tag = ''] = baseNames[base].split(':')
  const parts = await contents[base](folder)
  const program = parts.find((entry) => 'program' in entry)
  return {
    repository,
    tags: [tag],
    program: program !== undefined && 'program' in program ? program.program : busybox,
    config: { Cmd: ['sh'], Env: ['PATH=/usr/local/bin:/usr/local/go/bin:/usr/bin:/bin'] },
    entries: async () => unique([...system, ...parts, ...(await busyboxEntries(busybox))]),
  }
}

const system: readonly LayerEntry[] = [
  { path: 'tmp', folder: true, mode: 0o1777 },
  { path: 'root', folder: true },
  { path: 'etc', folder: true },
  { path: 'etc/passwd', text: 'root:x:0:0:root:/root:/bin/sh\n' },
  { path: 'etc/group', text: 'root:x:0:\n' },
]

const contents: Record<Base, (folder: string) => Promise<LayerEntry[]>> = {
  node: async () => {
    const npm = dirname(dirname(realpathSync('/usr/bin/npm')))
    return [
      { path: 'usr/bin/node', program: process.execPath },
      { path: 'usr/bin/npm', link: '../lib/node_modules/npm/bin/npm-cli.js' },
      ...(await below('usr/lib/node_modules/npm', npm)),
      ...(await entriesOf(await unpackPackages('test-node', { debian: libraries }, console.log))),
    ]
  },
  python: async (folder) => {
    const root = await unpackPackages('test-python', { debian: [...python, ...pip] }, console.log)
    const script = join(folder, 'pip')
    await writeFile(
      script,
      '#!/usr/bin/python3.11\nfrom pip._internal.cli.main import main\nraise SystemExit(main())\n',
    )
    const all = await entriesOf(root)
    return [
      { path: 'usr/bin/python', link: 'python3.11' },
      { path: 'usr/bin/pip', program: script },
      // As Debian marks it pip would install nothing.
      ...all.filter(({ path }) => !path.endsWith('EXTERNALLY-MANAGED') && path !== 'usr/bin/pip'),
    ]
  },
  bun: async (folder) => {
    await run('npm', ['pack', '@oven/bun-linux-x64@1.4.2', '--silent', '--pack-destination', folder], { cwd: folder })
    const archive = (await readdir(folder)).find((name) => name.endsWith('.tgz')) ?? ''
    await run('tar', ['-xzf', archive], { cwd: folder })
    await rm(join(folder, archive))
    return [
      { path: 'usr/bin/bun', program: join(folder, 'package/bin/bun') },
      ...(await entriesOf(await unpackPackages('test-bun', { debian: ['libc6'] }, console.log))),
    ]
  },
  go: async () => {
    const { stdout } = await run('go', ['env', 'GOROOT'])
    const root = stdout.trim()
    const wanted = ['bin', 'pkg', 'src', 'go.env', 'VERSION']
    const parts = await below('usr/local/go', root)
    return parts.filter(
      ({ path }) => wanted.includes(path.split('/')[3] ?? '') && !/\/testdata(\/|$)|_test\.go$/.test(path),
    )
  },
}

/** A folder of this machine at a path of the image. */
async function below(path: string, folder: string): Promise<LayerEntry[]> {
  const parents = path
    .split('/')
    .map((_, place, all) => ({ path: all.slice(0, place + 1).join('/'), folder: true }) as const)
  return [...parents, ...(await entriesOf(folder)).map((entry) => ({ ...entry, path: `${path}/${entry.path}` }))]
}

/** The first of each path stays. */
function unique(entries: readonly LayerEntry[]): LayerEntry[] {
  const seen = new Set<string>()
  return entries.filter(({ path }) => !seen.has(path) && seen.add(path))
}
