/** Tokens of sign-ins by code that no program fetched in time, which are removed with the next sign-in. */
import { expect } from 'chai'
import type { ClusterClient } from '../../../cluster/client.ts'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { unfetchedTokenSeconds } from '../../../contract/limits.ts'
import { systemNamespace } from '../../../kinds/meta/group.ts'
import { tokenSecretName } from '../../../kinds/system-secrets.ts'
import type { AuthSecret } from '../../../records/secrets/auth-secret.ts'
import { createTokens, type TokenNeeds } from '../../../records/tokens/tokens.ts'
import { behindStore, useRecords } from '../../harness/records.ts'

describe('a token that was not fetched in time', function () {
  this.timeout(60_000)
  let client: ClusterClient
  const late = (): number => Date.now() + 2 * unfetchedTokenSeconds * 1000

  before(async () => {
    ;({ client } = await useRecords())
  })

  const liveOf = (id: string) =>
    client.get<AuthSecret>({ type: coreTypes.secret, namespace: systemNamespace, name: tokenSecretName(id) })

  /** The tokens as a replica sees them whose watch has brought the one of this ID; with its changes to the needs. */
  async function tokensOf(id?: string, change: Partial<TokenNeeds> = {}) {
    const known = id === undefined ? undefined : await liveOf(id)
    const store = behindStore<AuthSecret>(client, coreTypes.secret, known === undefined ? [] : [known])
    const needs = { client, store, idKey: async () => Buffer.alloc(32), clock: () => Date.now(), ...change }
    return createTokens(needs as unknown as TokenNeeds) // all that making, fetching and removing need
  }
  const wanted = { name: 'laptop', createdBy: 'tester', expiresInDays: 1, scope: 'workspace', role: 'viewer' } as const

  it('is removed', async () => {
    const { id } = await (await tokensOf()).reserve(wanted)
    await (await tokensOf(id)).sweepUnfetched()
    expect(await liveOf(id), 'of a moment ago').not.to.equal(undefined)
    await (await tokensOf(id, { clock: late })).sweepUnfetched()
    expect(await liveOf(id)).to.equal(undefined)
  })

  it('stays where another replica hands it out in the moment between the last look and the removal', async () => {
    const { id } = await (await tokensOf()).reserve(wanted)
    const fetching = await tokensOf(id)
    const store = behindStore<AuthSecret>(client, coreTypes.secret, [(await liveOf(id)) as AuthSecret])
    const readLive = async (name: string) => {
      const seen = await store.readLive(name)
      expect(await fetching.redeem(id)).not.to.equal(undefined)
      return seen
    }
    const sweeping = await tokensOf(id, { store: { ...store, readLive }, clock: late })
    await sweeping.sweepUnfetched()
    expect((await liveOf(id))?.data?.['digest']).not.to.equal(undefined)
    expect(await fetching.revoke(id)).to.equal(true)
  })
})
