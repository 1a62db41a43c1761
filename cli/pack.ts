/**
 * Packs the command line for npm: the bundle with manual pages and completions, without dependencies and without any
 * other part of svc. `npm run pack` prints the path of the package.
 */
import { execFile } from 'node:child_process'
import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { buildCli } from './bundle.ts'

const root = join(import.meta.dirname, '..')
const run = promisify(execFile)

/** The path of the package. The version is SVC_RELEASE, else that of the project. @param into the folder it gets. */
export async function packCli(into: string): Promise<string> {
  const bundle = await buildCli()
  const folder = join(into, 'package')
  await rm(folder, { recursive: true, force: true })
  for (const part of ['man', 'completions']) await mkdir(join(folder, part), { recursive: true })
  await copyFile(bundle, join(folder, 'svc.mjs'))
  await copyFile(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  await writeFile(join(folder, 'README.md'), await readFile(join(root, 'docs/reference/command-line.md'), 'utf8'))
  const printed = async (...args: string[]) => (await run(process.execPath, [bundle, ...args])).stdout
  const names = await commandNames(bundle)
  for (const name of names) await writeFile(join(folder, 'man', `svc-${name}.1`), await printed('man', name))
  await writeFile(join(folder, 'man', 'svc.1'), await printed('man'))
  for (const shell of ['bash', 'zsh', 'fish'])
    await writeFile(join(folder, 'completions', `svc.${shell}`), await printed('completion', shell))
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(await manifest(names), undefined, 2)}\n`)
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', into], { cwd: folder })
  return join(into, stdout.trim())
}

/** The commands that have a page: those that the shell completes. */
async function commandNames(bundle: string): Promise<string[]> {
  const { stdout } = await run(process.execPath, [bundle, '__complete', '--', ''])
  return stdout.split('\n').filter((name) => name !== '')
}

async function manifest(names: readonly string[]): Promise<object> {
  const text = await readFile(join(root, 'package.json'), 'utf8')
  const { name, version, license, engines } = JSON.parse(text) as Record<string, unknown> // the project's own file
  return {
    name,
    version: process.env['SVC_RELEASE'] ?? version,
    description: 'The command line of svc, a deployment platform on Kubernetes',
    license,
    type: 'module',
    engines,
    bin: { svc: 'svc.mjs' },
    man: ['svc', ...names.map((command) => `svc-${command}`)].map((page) => `man/${page}.1`),
  }
}

if (import.meta.main) {
  await mkdir(join(root, 'dist'), { recursive: true })
  console.log(await packCli(join(root, 'dist')))
}
