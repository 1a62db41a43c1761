/** A start uses the requested cluster, or else the one of the last start, and reports when they differ. */
import { expect } from 'chai'
import { chooseCluster } from '../../../one-machine/start/choose-cluster.ts'

describe('which cluster a start uses', () => {
  it('is the one of the last start, silently', async () => {
    expect(await chooseCluster(undefined, 'simulated')).to.deep.equal({ kind: 'simulated' })
    expect(await chooseCluster('simulated', 'simulated')).to.deep.equal({ kind: 'simulated' })
  })

  it('is the one that is asked for the first time', async () => {
    expect(await chooseCluster('kubeconfig', undefined)).to.deep.equal({ kind: 'kubeconfig' })
  })

  it('is another one than last time where it is asked for, and says where the services are', async () => {
    expect(await chooseCluster('simulated', 'node')).to.deep.equal({
      kind: 'simulated',
      note: 'this directory was last used with --cluster node: what was deployed then is there, and not here',
    })
  })
})
