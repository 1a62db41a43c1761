/** Where Go's module cache has a module whose published files a test reads. */
import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The folder of the module; the go.mod and go.sum in `pinned` name and verify it. */
export async function goModuleFolder(module: string, pinned: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-go-module-'))
  try {
    for (const file of ['go.mod', 'go.sum']) await copyFile(join(pinned, file), join(folder, file))
    const env = { ...process.env, GOWORK: 'off', GOFLAGS: '-mod=mod' }
    const { stdout } = await run('go', ['mod', 'download', '-json', module], { cwd: folder, env })
    return (JSON.parse(stdout) as { Dir: string }).Dir
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
