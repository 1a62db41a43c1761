/** The client for the AWS account of a remote store, for one pass, and what its errors mean for the pass. */
import { effectiveStoreSpec } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore, ObjectStoreSpec } from '../../kinds/object-stores/kind.ts'
import { regionOfStore } from '../../kinds/object-stores/remote.ts'
import type { AwsAccount } from '../../outside/aws/account.ts'
import { UpstreamError } from '../../outside/upstream-error.ts'
import { readAccount } from '../../records/cloud-connections/read-account.ts'
import type { ActivityNeeds } from '../context/needs.ts'
import { failing, type Pass, type Unmet, waiting } from '../provision/step.ts'

export type RemoteNeeds = Pick<
  ActivityNeeds,
  'client' | 'clouds' | 'objectStores' | 'emptyingMs' | 'cloudSettleMs' | 'log' | 'now'
>

/** Work on the store in its account. `spec` is the effective spec, without pending changes. */
export type RemoteWork = (account: AwsAccount, store: ObjectStore, spec: ObjectStoreSpec) => Promise<Unmet | undefined>

/**
 * A pass with the account of the store's connection. It waits for a connection that cannot be used, and for AWS when
 * that does not answer, throttles or has an internal error; a refusal by AWS is a failure, `<status>: <body>`
 * (docs/reference/object-stores.md#ready-condition).
 */
export const inAccount =
  ({ client, clouds }: Pick<RemoteNeeds, 'client' | 'clouds'>, work: RemoteWork): Pass<ObjectStore> =>
  async (store) => {
    const spec = effectiveStoreSpec(store) ?? store.spec
    const name = store.status?.remote?.connection ?? spec.connectionRef.name
    if (name === '') return waiting('connectionRef is required for a remote store')
    const found = await readAccount(client, name, { project: spec.project, provider: 'AWS' })
    if ('unmet' in found) return waiting(found.unmet)
    const { connection, keys } = found
    const region = regionOfStore(spec.region, connection.spec.region, keys['region'])
    const account = clouds.aws.account(
      { accessKeyId: keys['accessKeyId'] ?? '', secretAccessKey: keys['secretAccessKey'] ?? '' },
      region,
    )
    try {
      return await work(account, store, spec)
    } catch (error) {
      if (error instanceof UpstreamError) return error.passing ? waiting(error.message) : failing(error.message)
      throw error
    } finally {
      account.close()
    }
  }
