/**
 * Plays the pod of a backup or restore: runs its script with the folders of its Secrets, with a real rclone and the
 * tools of the engine. A cluster without a kubelet has nothing else that would.
 */
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { folders } from '../../kinds/backup-archives/scripts.ts'
import { demoted, nobody } from './engines.ts'
import { debianPrograms, type Programs } from './debian-programs.ts'

export interface PodEnd {
  code: number
  /** What it left as its termination message. */
  said: string
  /** Its output. */
  log: string
}

export interface PodRun {
  script: string
  store: Readonly<Record<string, string>>
  login?: Readonly<Record<string, string>>
  admin?: Readonly<Record<string, string>>
  variables: Readonly<Record<string, string>>
  /** Folders of the tools of the engine, and what they need. */
  path?: readonly string[]
  env?: Readonly<Record<string, string>>
  /** Not as root, as servers of engines want it. */
  unprivileged?: boolean
  /** Called with its process id, so that a test may kill it. */
  onStart?: (pid: number) => void
}

export const rcloneProgram = (): Promise<Programs> => debianPrograms(['rclone'], ['rclone'])

export const folderOf = (programs: Programs, name: string): string => dirname(programs.path(name))

/** Runs it to its end. */
export async function playPod({
  script,
  store,
  login,
  admin,
  variables,
  path = [],
  env = {},
  unprivileged = false,
  onStart,
}: PodRun): Promise<PodEnd> {
  const rclone = await rcloneProgram()
  const root = await mkdtemp(join(tmpdir(), 'svc-backup-pod-'))
  const at = Object.fromEntries(Object.keys(folders).map((name) => [name, join(root, name)]))
  for (const [name, folder] of Object.entries(at)) if (name !== 'SAID') await mkdir(folder)
  const files: Record<string, Readonly<Record<string, string>> | undefined> = {
    STORE: store,
    LOGIN: login,
    ADMIN: admin,
  }
  for (const [name, values] of Object.entries(files))
    for (const [key, value] of Object.entries(values ?? {})) await writeFile(join(at[name] ?? '', key), value)
  const PATH = [...path, folderOf(rclone, 'rclone'), process.env['PATH'] ?? ''].join(delimiter)
  const [command, ...args] = unprivileged ? demoted('sh', ['-c', script]) : ['sh', '-c', script]
  if (unprivileged && process.getuid?.() === 0) {
    for (const folder of [root, ...Object.values(at)]) if (existsSync(folder)) await chown(folder, nobody, nobody)
  }
  const child = spawn(command ?? '', args, {
    cwd: '/',
    detached: true,
    env: { ...env, ...at, ...variables, PATH, HOME: root },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onStart?.(child.pid ?? 0)
  let log = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (log += String(data)))
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status) => resolve(status ?? 1))
  })
  const said = await readFile(at['SAID'] ?? '', 'utf8').catch(() => '')
  await rm(root, { recursive: true, force: true })
  return { code, said, log }
}
