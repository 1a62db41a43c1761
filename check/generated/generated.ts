/** Writes generated files, or lists those that differ from their sources. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Generator } from './generators.ts'

export interface Difference {
  path: string
  /** The text that the sources produce. */
  text: string
  why: 'missing' | 'changed'
}

/** The generated files under `root` that are missing or differ from what their sources produce. */
export async function findDifferences(root: string, generators: readonly Generator[]): Promise<Difference[]> {
  const differences: Difference[] = []
  for (const generator of generators) {
    for (const [path, text] of await generator.make()) {
      const now = await readOptional(join(root, path))
      if (now !== text) differences.push({ path, text, why: now === undefined ? 'missing' : 'changed' })
    }
  }
  return differences
}

export async function writeDifferences(root: string, differences: readonly Difference[]): Promise<void> {
  for (const { path, text } of differences) {
    await mkdir(dirname(join(root, path)), { recursive: true })
    await writeFile(join(root, path), text)
  }
}

async function readOptional(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
