/** Our own tiny programs for images: built from the Go sources beside this file, once per content. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { locateCache } from '../servers/cache.ts'
import { run } from './run.ts'

const SOURCES = join(import.meta.dirname, 'go')

/**
 * The path of the built program. Its cache folder is named after a hash of its source, so a changed source is built
 * anew. Throws one sentence when Go is missing.
 */
export async function buildProgram(
  name: 'pause' | 'hello' | 'guestbook',
  progress: (line: string) => void,
): Promise<string> {
  const own = join(SOURCES, name)
  // The guestbook has libraries, and so a module of its own.
  const isModule = existsSync(join(own, 'go.mod'))
  const files = isModule ? [join(own, 'go.mod'), join(own, 'go.sum')] : [join(SOURCES, 'go.mod')]
  const source = await Promise.all([...files, join(own, 'main.go')].map((file) => readFile(file)))
  const hash = createHash('sha256').update(Buffer.concat(source)).digest('hex').slice(0, 12)
  const cache = join(locateCache(process.env), 'programs')
  const program = join(cache, hash, name)
  if (existsSync(program)) return program
  progress(`building the ${name} program`)
  await mkdir(join(cache, hash), { recursive: true })
  const draft = await mkdtemp(join(cache, 'build-'))
  try {
    // GOTOOLCHAIN local: no other Go is downloaded for these.
    const env = { ...process.env, CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '-buildvcs=false', GOTOOLCHAIN: 'local' }
    await run('go', ['build', '-trimpath', '-ldflags', '-s -w', '-o', join(draft, name), '.'], { cwd: own, env })
    await rename(join(draft, name), program)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')
      throw new Error(`the ${name} image needs Go 1.24 or newer (https://go.dev/dl), which is not on PATH`, { cause })
    throw cause
  } finally {
    await rm(draft, { recursive: true, force: true })
  }
  return program
}
