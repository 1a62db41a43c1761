/**
 * A short seeded part of `npm run test:kill`: processes die while at least twenty operations are under way, and every
 * promise holds. It takes minutes of two cores, so it runs when its folder is named.
 */
import { dnsWithinMs } from '../harness/dns-server.ts'
import { expectHeld } from './short-run.ts'

// Kills workers, apis, Temporal, kube-apiserver and etcd, one after the other, and the pod of a backup.
const [kills, seed] = [1, '33914']
/** With the crowd's other records still more than twenty operations. */
const services = '6'

describe('kills at random moments', function () {
  this.timeout(600_000 + dnsWithinMs)

  it('lose nothing, do nothing twice, and let every accepted operation end', async () => {
    await expectHeld(kills, '--seed', seed, '--services', services)
  })
})
