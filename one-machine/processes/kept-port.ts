/** The port of a server whose address others have before it runs: the same at each start while it is free. */
import { existsSync, readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { freePort } from './ports.ts'

/** Keeps the port in `file`; takes another one where the last one is taken meanwhile. */
export async function keepPort(file: string): Promise<number> {
  const port = await freePort(lastPort(file))
  await writeFile(file, JSON.stringify(port))
  return port
}

/** Undefined without a file, and with one that a kill cut short. */
function lastPort(file: string): number | undefined {
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return /^\d+$/.test(text) ? Number(text) : undefined
}
