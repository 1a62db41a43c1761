/** Folders and processes of a test, removed when it ends. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { scaledLimit } from '../harness/time-limits.ts'

/** A separate folder for each test; call it in a describe. */
export function temporaryFolder(): () => string {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'svc-test-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
  return () => folder
}

/** Writes an executable shell script and returns its path. */
export function writeScript(file: string, ...lines: string[]): string {
  writeFileSync(file, ['#!/bin/sh', ...lines, ''].join('\n'), { mode: 0o755 })
  return file
}

export async function eventually(isTrue: () => boolean | Promise<boolean>, withinMs = 5_000): Promise<void> {
  for (
    const deadline = Date.now() + scaledLimit(withinMs);
    !(await isTrue());
    await new Promise((resolve) => setTimeout(resolve, 20))
  ) {
    if (Date.now() > deadline) throw new Error('it did not happen in time')
  }
}
