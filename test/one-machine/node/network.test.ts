/** The addresses of nodes: consistent, stable, and without overlap. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { chooseNetwork, networkOf, nodeName, overlaps } from '../../../one-machine/node/network.ts'

describe('the addresses of a node', () => {
  it('two ranges overlap when one holds the other or an address of it', () => {
    expect(overlaps('10.64.0.0/16', '10.64.200.0/24')).to.equal(true)
    expect(overlaps('10.0.0.0/8', '10.64.0.0/16')).to.equal(true)
    expect(overlaps('10.64.3.7', '10.64.0.0/16')).to.equal(true)
    expect(overlaps('10.65.0.0/16', '10.64.0.0/16')).to.equal(false)
    expect(overlaps('192.168.0.1', '10.64.0.0/16')).to.equal(false)
    expect(overlaps('0.0.0.0/0', '10.64.0.0/16')).to.equal(true)
  })

  it('all lie in one block, and its ranges do not overlap', () => {
    const network = networkOf('svc-000000', 77)
    const ranges = [`${network.hostAddress}/30`, network.egressRange, network.podRange, network.serviceRange]
    for (const range of ranges) {
      expect(overlaps(range, network.block)).to.equal(true)
      for (const other of ranges) expect(overlaps(range, other)).to.equal(range === other)
    }
    for (const address of [network.apiServiceAddress, network.dnsAddress])
      expect(overlaps(address, network.serviceRange)).to.equal(true)
  })

  it('two folders have two names, each short enough for a network link', () => {
    expect(nodeName('/one')).to.not.equal(nodeName('/two'))
    expect(nodeName('/one')).to.match(/^svc-[0-9a-f]{6}$/)
  })

  it('a folder keeps the addresses it was given', async function () {
    if (process.platform !== 'linux') this.skip()
    const folder = await mkdtemp(join(tmpdir(), 'svc-network-'))
    try {
      expect(await chooseNetwork(folder)).to.deep.equal(await chooseNetwork(folder))
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
