/** Starts the bare Koa that reads are compared with. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSupervisor, freePort } from '../../one-machine/processes/index.ts'

export interface BareKoa {
  /** Where the body of this place is served. */
  url(place: number): string
  stop(): Promise<void>
}

export async function startBareKoa(folder: string, bodies: readonly Uint8Array[]): Promise<BareKoa> {
  const files = bodies.map((_, place) => join(folder, `body-${place}.json`))
  await Promise.all(files.map((file, place) => writeFile(file, bodies[place] ?? '')))
  const port = await freePort()
  const url = (place: number): string => `http://127.0.0.1:${port}/${place}`
  const supervisor = createSupervisor(join(folder, 'bare-koa-run.json'))
  await supervisor.start({
    name: 'bare-koa',
    command: process.execPath,
    args: [join(import.meta.dirname, 'bare-koa-main.ts'), String(port), ...files],
    logFile: join(folder, 'bare-koa.log'),
    ready: async () => (await fetch(url(0)).catch(() => undefined))?.ok === true,
  })
  return { url, stop: () => supervisor.stop() }
}
