/** The bare repositories of the git server: which there are, where their branches are, and the sample. */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const sampleFiles = join(import.meta.dirname, 'sample')
export const sampleName = 'sample'
const branch = 'main'
const author = { name: 'svc', email: 'svc@localhost' }

/** Without the settings of a user or of the machine, which could name hooks. */
async function git(root: string, ...args: string[]): Promise<string> {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: root,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: author.name,
    GIT_AUTHOR_EMAIL: author.email,
    GIT_COMMITTER_NAME: author.name,
    GIT_COMMITTER_EMAIL: author.email,
  }
  const { stdout } = await run('git', args, { cwd: root, env })
  return stdout.trim()
}

const folderOf = (root: string, name: string): string => join(root, `${name}.git`)

/** Their names, without `.git`. */
export async function repositoriesIn(root: string): Promise<string[]> {
  const entries = await readdir(root)
  return entries.filter((entry) => /^\w.*\.git$/.test(entry)).map((entry) => entry.slice(0, -'.git'.length))
}

/** Where each branch is; none of a repository without a commit. */
export async function headsOf(root: string, name: string): Promise<Record<string, string>> {
  const form = '--format=%(objectname) %(refname:lstrip=2)'
  const lines = await git(root, '--git-dir', folderOf(root, name), 'for-each-ref', form, 'refs/heads')
  const heads = lines.split('\n').filter((line) => line !== '')
  return Object.fromEntries(
    heads.map((line) => {
      const space = line.indexOf(' ')
      return [line.slice(space + 1), line.slice(0, space)]
    }),
  )
}

/** The branch that is built where a service names none. */
export const defaultBranch = (root: string, name: string): Promise<string> =>
  git(root, '--git-dir', folderOf(root, name), 'symbolic-ref', '--short', 'HEAD')

/**
 * Makes the repository of the sample where there is none, with one commit. It has its name only when it is whole, so a
 * kill leaves none that is half made.
 */
export async function makeSample(root: string): Promise<void> {
  const left = (await readdir(root)).filter((entry) => entry.startsWith('.new-'))
  for (const entry of left) await rm(join(root, entry), { recursive: true, force: true })
  if (existsSync(folderOf(root, sampleName))) return
  const draft = await mkdtemp(join(root, '.new-'))
  await git(root, 'init', '-q', '--bare', '--template=', '-b', branch, draft)
  const within = ['--git-dir', draft, '--work-tree', sampleFiles]
  await git(root, ...within, 'add', '--all', sampleFiles)
  await git(root, ...within, 'commit', '-q', '-m', 'A service that says hello')
  // A build may fix its commit before it fetches.
  await git(root, '--git-dir', draft, 'config', 'uploadpack.allowReachableSHA1InWant', 'true')
  await git(root, '--git-dir', draft, 'config', 'receive.maxInputSize', '256m')
  await rename(draft, folderOf(root, sampleName))
}
