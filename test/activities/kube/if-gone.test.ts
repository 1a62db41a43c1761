/** What a pass made is removed where its record is gone by its end, and only there. */
import { expect } from 'chai'
import { removedIfGone } from '../../../activities/kube/if-gone.ts'
import type { KubeObject } from '../../../cluster/objects/object.ts'

const recordOf = (uid: string): KubeObject => ({ metadata: { name: 'shop', uid } }) as KubeObject

describe('what a pass makes for a record', () => {
  /** The calls of a pass after which `live` is there. */
  async function callsWith(live: KubeObject | undefined, fails = false): Promise<string[]> {
    const calls: string[] = []
    const note = (call: string) => async () => void calls.push(call)
    const make = async () => {
      await note('make')()
      if (fails) throw new Error('refused')
    }
    const of = { record: recordOf('old'), store: { readLive: async () => live } }
    await removedIfGone(of, make, note('remove')).catch((error: Error) => calls.push(error.message))
    return calls
  }

  it('stays while the record is there', async () => {
    expect(await callsWith(recordOf('old'))).to.deep.equal(['make'])
  })

  it('is removed where the record is gone, or another one has its name', async () => {
    expect(await callsWith(undefined)).to.deep.equal(['make', 'remove'])
    expect(await callsWith(recordOf('new'))).to.deep.equal(['make', 'remove'])
  })

  it('is removed also after a failure, which the caller sees', async () => {
    expect(await callsWith(undefined, true)).to.deep.equal(['make', 'remove', 'refused'])
  })
})
