/** The data directory of a start: exclusive to svc, locked while in use, removed on demand. */
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { LockHeld, takeLock } from '../processes/lock.ts'
import { stopLeftovers } from '../processes/supervisor.ts'
import { writeWhole } from '../processes/write-whole.ts'
import { clusterKinds } from './options.ts'

const markerName = 'svc-data.json'
const lockName = 'lock'
const memory = z.object({ cluster: z.enum(clusterKinds).optional(), port: z.number().optional() })
export type Memory = z.infer<typeof memory>

export interface DataDir {
  readonly path: string
  /** The state that the last start recorded. */
  recall(): Memory
  note(what: Memory): void
  /** Removes everything; processes of a killed start are stopped first, since their mounts are inside. */
  reset(): Promise<void>
  release(): void
}

function read(file: string): Memory {
  try {
    return memory.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return {} // half written by a killed start: the next start does not need its content
  }
}

/** Run files are in the folders of the parts, at most three levels down. */
async function stopEverything(path: string): Promise<void> {
  for (const name of readdirSync(path, { recursive: true, encoding: 'utf8' })) {
    if (name.endsWith('run.json') && name.split('/').length <= 3) await stopLeftovers(join(path, name))
  }
  const nodeDir = join(path, 'node', 'node')
  if (!existsSync(nodeDir)) return
  const [{ removeLeftovers }, { nodeName }] = await Promise.all([
    import('../node/process.ts'),
    import('../node/network.ts'),
  ])
  await removeLeftovers(realpathSync(nodeDir), nodeName(realpathSync(nodeDir)))
}

/** Makes and locks the directory. Throws one sentence when another start uses it or when it is not svc's. */
export function openDataDir(path: string): DataDir {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const marker = join(path, markerName)
  const strangers = readdirSync(path).filter((name) => !name.startsWith(lockName))
  if (strangers.length > 0 && !existsSync(marker))
    throw new Error(`${path} is not empty and was not made by svc; choose another with --data`)
  const lock = lockOrExplain(path, marker)
  if (!existsSync(marker)) writeFileSync(marker, '{}')
  return {
    path,
    recall: () => read(marker),
    note(what) {
      writeWhole(marker, JSON.stringify({ ...read(marker), ...what }))
    },
    async reset() {
      await stopEverything(path)
      for (const name of readdirSync(path))
        if (name !== lockName) rmSync(join(path, name), { recursive: true, force: true })
      writeFileSync(marker, '{}')
    },
    release: () => lock.release(),
  }
}

function lockOrExplain(path: string, marker: string) {
  try {
    return takeLock(join(path, lockName))
  } catch (error) {
    if (!(error instanceof LockHeld)) throw error
    const { port } = read(marker)
    const where = port === undefined ? '' : `, at http://127.0.0.1:${port}`
    throw new Error(
      `svc already runs on ${path} (process ${error.owner}${where}); stop it with Ctrl-C, or start another with --data and --port`,
      {
        cause: error,
      },
    )
  }
}
