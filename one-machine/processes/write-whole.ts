/**
 * Small files that a later start reads back, such as ports, tokens and notes: a kill or a full disk in the middle of a
 * write leaves the former file or none, never a part of one.
 */
import { renameSync, writeFileSync } from 'node:fs'

/** Replaces the file by a rename. @param mode of a new file, such as 0o600 for a secret */
export function writeWhole(file: string, text: string, mode = 0o666): void {
  const draft = `${file}.new`
  writeFileSync(draft, text, { mode })
  renameSync(draft, file)
}
