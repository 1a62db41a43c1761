/**
 * A short seeded part of `npm run test:kill -- --releases`: the work changes between two releases while workers are
 * killed. It takes minutes of two cores, so it runs when its folder is named.
 */
import { expect } from 'chai'
import { dnsWithinMs } from '../harness/dns-server.ts'
import { expectHeld } from './short-run.ts'

// Kills both workers twice: each time the release that has the runs afterwards is not the one that opened them.
const seed = '103'

describe('two releases that the work goes back and forth between', function () {
  this.timeout(600_000 + dnsWithinMs)

  it('lose nothing, do nothing twice, and let every accepted operation end', async () => {
    const said = await expectHeld(2, '--releases', '--seed', seed)
    expect(said, 'runs of one release were met by the other').to.match(
      /[1-9]\d* runs that did not fit were opened anew/,
    )
  })
})
