/** Ports of servers whose addresses others have before they run: the same at each start while they are free. */
import { readFileSync } from 'node:fs'
import { portMax } from '../../contract/limits.ts'
import { freePort } from './ports.ts'
import { writeWhole } from './write-whole.ts'

/** Keeps the port of a server in `file`; takes another one where the last one is taken meanwhile. */
export async function keepPort(file: string): Promise<number> {
  const port = await freePort(portIn(lastIn(file)))
  writeWhole(file, JSON.stringify(port))
  return port
}

/**
 * Keeps several ports of a server in `file`, by name.
 * @param wanted ports that were asked for, instead of the last ones. Rejects with one sentence where one is in use.
 */
export async function keepPorts<Name extends string>(
  file: string,
  names: readonly Name[],
  wanted: { readonly [Each in Name]?: number | undefined } = {},
): Promise<Record<Name, number>> {
  const last = lastIn(file)
  const kept = new Map(typeof last === 'object' && last !== null ? Object.entries(last) : [])
  const ports: [Name, number][] = []
  for (const name of names) {
    const port = await freePort(wanted[name] ?? portIn(kept.get(name)))
    if (wanted[name] !== undefined && port !== wanted[name]) throw new Error(`port ${wanted[name]} is in use`)
    ports.push([name, port])
  }
  const chosen = Object.fromEntries(ports) as Record<Name, number> // fromEntries forgets the names
  writeWhole(file, JSON.stringify(chosen))
  return chosen
}

/** What the last start wrote; undefined without a file, and for one that an earlier release left cut short. */
function lastIn(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return undefined
  }
}

const portIn = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= portMax ? value : undefined
