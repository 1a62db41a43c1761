/**
 * `npm run dev`: an edit restarts the processes that load the file, the api, the worker or both; the servers stay up.
 */
import { watch } from 'node:fs'
import { join, sep } from 'node:path'
import type { Part } from '../platform.ts'

const ofBoth = ['contract', 'durable', 'kinds', 'cluster', 'outside', 'records', 'temporal']
const foldersOf: Readonly<Record<Part, readonly string[]>> = {
  api: [...ofBoth, 'api', 'templates'],
  worker: [...ofBoth, 'activities', 'workflows'],
}
const folders = [...new Set(Object.values(foldersOf).flat())]

/** An editor saves in several steps, and a change of branch touches many files: such events count as one edit. */
const quietMs = 200

/**
 * The processes that load the file. @param path from the top of the project; generated and temporary files have none.
 */
export function partsOf(path: string): Part[] {
  if (!/\.(ts|mjs|yaml)$/.test(path)) return []
  const [folder = ''] = path.split(sep)
  return (['api', 'worker'] as const).filter((part) => foldersOf[part].includes(folder))
}

export interface Edits {
  /** The top of the project. */
  readonly root: string
  /** Resolves when it runs again. Never called concurrently: edits during a restart cause another one after it. */
  readonly restart: (part: Part) => Promise<void>
  readonly say: (line: string) => void
}

/** Watches until the returned function is called; a restart under way is not waited for then. */
export function restartOnEdit({ root, restart, say }: Edits): () => void {
  const edited = new Set<Part>()
  let timer: NodeJS.Timeout | undefined
  let working: Promise<void> | undefined
  let stopped = false
  const again = async (part: Part): Promise<void> => {
    try {
      await restart(part)
      say(`the ${part} runs again`)
    } catch (error) {
      if (!stopped)
        say(
          `the ${part} does not start, the next edit tries again: ${error instanceof Error ? error.message : String(error)}`,
        )
    }
  }
  const work = async (): Promise<void> => {
    while (edited.size > 0 && !stopped) {
      const parts = [...edited]
      edited.clear()
      for (const part of parts) await again(part)
    }
    working = undefined
  }
  const onEdit = (path: string): void => {
    for (const part of partsOf(path)) edited.add(part)
    clearTimeout(timer)
    timer = setTimeout(() => {
      working ??= work()
    }, quietMs)
  }
  const watchers = folders.map((folder) =>
    watch(join(root, folder), { recursive: true }, (_event, file) => {
      if (file !== null) onEdit(join(folder, file))
    }).on('error', ({ message }) => say(`edits in ${folder}/ are no longer seen: ${message}`)),
  )
  return () => {
    stopped = true
    clearTimeout(timer)
    for (const watcher of watchers) watcher.close()
  }
}
