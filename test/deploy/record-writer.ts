/** Who may write records and nothing else, on a cluster with the roles and admission policies of an install. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectCluster } from '../../cluster/client.ts'
import { loginAs, readKubeconfig, writeKubeconfig } from '../../deploy/login.ts'
import { installRoles } from '../../deploy/roles.ts'
import { eventually } from '../cluster/eventually.ts'
import { forgetRecords } from '../harness/forget-records.ts'
import { useStack } from '../harness/stack.ts'
import { grantWriter, revokeWriter } from '../rules/secret-world.ts'

const waitMs = 30_000

interface RecordWriter {
  /** For the files that kubectl reads. */
  folder: string
  /** With the login of the api. */
  api: ReturnType<typeof connectCluster>
}

/** For the tests of a `describe`; `world` is filled in before the first, and its records are removed after the last. */
export function useRecordWriter() {
  const world = {} as RecordWriter // by the hook below
  before(async () => {
    const { client, kubeconfig } = await useStack()
    await forgetRecords()
    await installRoles(client)
    world.folder = await mkdtemp(join(tmpdir(), 'svc-record-writer-'))
    await grantWriter(world.folder)
    const file = join(world.folder, 'svc-api')
    writeKubeconfig(file, await loginAs(client, 'svc-api', readKubeconfig(kubeconfig)))
    world.api = connectCluster({ kubeconfig: file })
  })
  after(async () => {
    await revokeWriter()
    await world.api.close()
    await forgetRecords()
    await rm(world.folder, { recursive: true, force: true })
  })

  /** The message of the refusal, '' without one. */
  const refusalOf = (call: Promise<unknown>): Promise<string> =>
    call.then(
      () => '',
      (error: Error) => error.message,
    )
  /** A policy takes effect a moment after it was made. */
  const untilRefused = (why: string, call: () => Promise<unknown>): Promise<void> =>
    eventually('it is refused', async () => (await refusalOf(call())).includes(why), waitMs)
  return { world, refusalOf, untilRefused }
}
