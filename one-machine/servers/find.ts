/** Servers that the user provides: named in the environment, or in the pinned version on the PATH. */
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { saysVersion } from './cache.ts'
import type { Server } from './server.ts'

/** The variable is SVC_KUBE_APISERVER for kube-apiserver. */
export function environmentName(server: string): string {
  return `SVC_${server.toUpperCase().replaceAll('-', '_')}`
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** The executable SVC_<NAME> names, whatever its version; throws when it names none. */
export function findInEnvironment(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const variable = environmentName(name)
  const file = env[variable]
  if (file === undefined || file === '') return undefined
  if (!isExecutable(file)) throw new Error(`${variable} names ${file}, which is no executable file`)
  return resolve(file)
}

/** The first executable of that name on the PATH when it has the pinned version or another accepted one. */
export function findOnPath(name: string, server: Server, env: NodeJS.ProcessEnv): string | undefined {
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '')
  const found = folders.map((folder) => join(folder, name)).find(isExecutable)
  return found !== undefined && saysVersion(found, server, [server.version, ...(server.alsoTaken ?? [])])
    ? resolve(found)
    : undefined
}
