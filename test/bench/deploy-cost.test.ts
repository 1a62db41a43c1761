/** What a deploy asks of the cluster, as the benches count it. */
import { expect } from 'chai'
import { requestsOf } from '../../bench/rig/audit-log.ts'
import { groupByRole } from '../../bench/rig/crowd-cost.ts'
import { requestCost } from '../../bench/rig/deploy-cost.ts'
import { longestChain } from '../../bench/rig/request-chain.ts'

const chain = (...spans: [number, number][]): number => longestChain(spans.map(([began, ended]) => ({ began, ended })))

describe('the longest chain of requests', () => {
  it('is none without requests', () => expect(chain()).to.equal(0))
  it('counts requests that follow each other', () => expect(chain([0, 1], [1, 2], [5, 9])).to.equal(3))
  it('counts requests beside each other once', () => expect(chain([0, 3], [1, 4], [2, 5])).to.equal(1))
  it('goes past a long one when two short ones fit beside it', () =>
    expect(chain([0, 10], [1, 2], [3, 4], [11, 12])).to.equal(3))
  it('does not depend on the order of the lines', () => expect(chain([11, 12], [3, 4], [0, 10], [1, 2])).to.equal(3))
})

const line = (verb: string, began: string, ended: string, userAgent = 'svc'): string =>
  JSON.stringify({ verb, userAgent, requestReceivedTimestamp: began, stageTimestamp: ended })

describe('the audit log of the cluster', () => {
  const at = '2026-01-02T03:04:05'
  it('is read to the microsecond, without other clients and without a line that is half written', () => {
    const text = [
      line('get', `${at}.000250Z`, `${at}.001500Z`),
      line('patch', `${at}.002000Z`, `${at}.002500Z`, 'kubectl/v1.36'),
      line('patch', `${at}Z`, `${at}.5Z`),
      line('create', `${at}.1Z`, `${at}.2Z`).slice(0, -9),
    ].join('\n')
    const start = Date.parse(`${at}Z`)
    const [first, second, ...more] = requestsOf(text)
    expect(first?.verb).to.equal('get')
    expect((first?.began ?? 0) - start).to.be.closeTo(0.25, 0.01)
    expect((first?.ended ?? 0) - start).to.be.closeTo(1.5, 0.01)
    expect((second?.ended ?? 0) - start).to.be.closeTo(500, 0.01)
    expect(more).to.deep.equal([])
  })
})

describe('the cost of a deploy', () => {
  it('counts work after the answer, but no chain of it, and nothing of others', () => {
    const requests = [
      { verb: 'get', began: 1, ended: 2 },
      { verb: 'patch', began: 3, ended: 4 },
      { verb: 'create', began: 12, ended: 13 },
      { verb: 'patch', began: 30, ended: 31 },
    ]
    const deploys = [
      { began: 0, ended: 10, atRest: 20 },
      { began: 100, ended: 110, atRest: 120 },
    ]
    expect(requestCost(requests, deploys)).to.deep.equal({ reads: 0.5, writes: 1, inARow: 1 })
    expect(requestCost(requests, deploys.slice(0, 1))).to.deep.equal({ reads: 1, writes: 2, inARow: 2 })
  })
})

describe('processor time by role', () => {
  it('adds up workers, and the servers of the cluster beside its api server', () =>
    expect(
      groupByRole({ api: 1, 'worker-1': 2, 'worker-2': 3, 'kube-apiserver': 4, etcd: 5, kwok: 6, temporal: 7 }),
    ).to.deep.equal({ api: 1, worker: 5, 'kube-apiserver': 4, 'the rest': 11, temporal: 7 }))
})
