/** The file of saved logins: its path, its content, and its modes (0600 in a folder of 0700). */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { CliError } from './exit-codes.ts'
import { defined } from '../../contract/defined.ts'

/** A service's address with its saved settings; `token` is sent to that address only. */
export interface SavedContext {
  url: string
  token?: string
  project?: string
  environment?: string
}

export interface Config {
  currentContext?: string
  contexts: Record<string, SavedContext>
}

/** @throws CliError when the file cannot be read or has another format; the error does not repeat its content. */
export async function readConfig(path: string): Promise<Config> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    if (isMissing(error)) return { contexts: {} }
    throw new CliError('error', `cannot read ${path}: ${error instanceof Error ? error.message : String(error)}`, error)
  }
  const config = parseConfig(text)
  if (config === undefined)
    throw new CliError('error', `${path} is not a configuration file of svc; repair or remove it`)
  return config
}

/** Written beside and renamed, so that no reader sees half a file and its mode is never wider. */
export async function writeConfig(path: string, config: Config): Promise<void> {
  const { chmod, mkdir, rename, rm, writeFile } = await import('node:fs/promises')
  const folder = dirname(path)
  const created = await mkdir(folder, { recursive: true, mode: 0o700 })
  // The mode of an existing folder changes only when its name is svc's own: SVC_CONFIG may be anywhere, as in /tmp.
  if (created !== undefined || path.endsWith(join('svc', 'config.json'))) await chmod(folder, 0o700)
  const draft = `${path}.${process.pid}.tmp`
  try {
    await writeFile(draft, `${JSON.stringify(config, undefined, 2)}\n`, { mode: 0o600, flag: 'wx' })
    await rename(draft, path)
  } catch (error) {
    await rm(draft, { force: true })
    throw new CliError(
      'error',
      `cannot write ${path}: ${error instanceof Error ? error.message : String(error)}`,
      error,
    )
  }
}

function parseConfig(text: string): Config | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (!isRecord(value)) return undefined
  const { currentContext, contexts = {} } = value
  if (!isRecord(contexts) || !Object.values(contexts).every(isSavedContext)) return undefined
  if (currentContext !== undefined && typeof currentContext !== 'string') return undefined
  return {
    ...defined({ currentContext }),
    contexts: contexts as Record<string, SavedContext>, // every value was checked above
  }
}

function isSavedContext(value: unknown): value is SavedContext {
  if (!isRecord(value) || typeof value['url'] !== 'string') return false
  return ['token', 'project', 'environment'].every((key) => value[key] === undefined || typeof value[key] === 'string')
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const isMissing = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'ENOENT'
