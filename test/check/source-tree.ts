/** A source tree in a temporary folder, with the packages and settings of the project, as input for a check. */
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export const project = join(import.meta.dirname, '../..')
const settings = ['package.json', 'tsconfig.json', '.oxlintrc.json', '.prettierrc.json', '.prettierignore', 'knip.json']

/** Text of files by their path. */
export type Files = Readonly<Record<string, string>>

/**
 * Makes the tree, passes its folder to `use`, and removes it. `copied` folders are copied from the project unchanged.
 */
export async function withSourceTree<T>(
  files: Files,
  use: (root: string) => Promise<T>,
  copied: readonly string[] = [],
): Promise<T> {
  const root = await mkdtemp(join(tmpdir(), 'svc-check-'))
  try {
    await symlink(join(project, 'node_modules'), join(root, 'node_modules'))
    for (const name of [...settings, ...copied]) {
      if (existsSync(join(project, name))) await cp(join(project, name), join(root, name), { recursive: true })
    }
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(root, path)), { recursive: true })
      await writeFile(join(root, path), text)
    }
    return await use(root)
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}
