/** A real MinIO for tests: found like every other server, with its own port and folder. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type Child,
  endChild,
  freePort,
  launch,
  signalGroup,
  waitUntilReady,
} from '../../one-machine/processes/index.ts'
import { connectMinioAdmin } from '../../outside/minio/admin.ts'
import { testServer } from './servers.ts'
import { atEnd } from './stack.ts'

interface Root {
  accessKey: string
  secretKey: string
}

export interface Minio {
  readonly endpoint: string
  readonly accessKey: string
  readonly secretKey: string
  /** Kills it as a crash would; its data stays. */
  kill(): Promise<void>
  /** Starts it again at the same address, with these root credentials. */
  start(root?: Root): Promise<void>
  stop(): Promise<void>
}

/** The first build on a machine takes minutes. */
export const minioWithinMs = 900_000

/** `port`: one that was chosen before, when its address is needed before the start. */
export async function startMinio(
  root: Root = { accessKey: 'root_test', secretKey: 'root-secret' },
  port?: number,
): Promise<Minio> {
  const command = await testServer('minio')
  const folder = await mkdtemp(join(tmpdir(), 'svc-minio-'))
  const address = `127.0.0.1:${port ?? (await freePort())}`
  const endpoint = `http://${address}`
  let child: Child | undefined
  const launchIt = async ({ accessKey, secretKey }: Root): Promise<void> => {
    child = launch({
      name: 'minio',
      command,
      args: ['server', join(folder, 'data'), '--address', address],
      cwd: folder,
      env: {
        MINIO_ROOT_USER: accessKey,
        MINIO_ROOT_PASSWORD: secretKey,
        MINIO_BROWSER: 'off',
        MINIO_UPDATE: 'off',
        MINIO_CI_CD: '1',
      },
      logFile: join(folder, 'minio.log'),
      ready: () => isReady({ endpoint, accessKey, secretKey }),
    })
    await waitUntilReady(child)
  }
  const end = async (): Promise<void> => {
    if (child !== undefined) await endChild(child)
    child = undefined
  }
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> => (stopping ??= end().then(() => rm(folder, { recursive: true, force: true })))
  atEnd(stop)
  await launchIt(root)
  return {
    endpoint,
    ...root,
    async kill() {
      const { process: running, ended } = child ?? {}
      if (running?.pid !== undefined) signalGroup(running.pid, 'SIGKILL')
      await ended
    },
    start: (again = root) => launchIt(again),
    stop,
  }
}

/** Its own health check passes before its users are loaded. */
async function isReady(login: Root & { endpoint: string }): Promise<boolean> {
  return connectMinioAdmin(login)
    .readUser('nobody')
    .then(
      () => true,
      () => false,
    )
}
