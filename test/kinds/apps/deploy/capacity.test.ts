/** The capacity rule as a table, and quantities as Kubernetes writes them. */
import { expect } from 'chai'
import { capacityFor, type CapacityQuestion, type PodRequestView } from '../../../../kinds/apps/deploy/capacity.ts'
import { bytes, cpuMillis, quantity } from '../../../../kinds/pods/quantity.ts'

const node = (name: string, cpu: string, memory = '8Gi') => ({
  metadata: { name },
  status: { allocatable: { cpu, memory }, conditions: [{ type: 'Ready', status: 'True' }] },
})
const tainted = (name: string, key: string) => ({
  ...node(name, '1'),
  metadata: { name, labels: { 'svc.dev/tag-gdpr': 'true' } },
  spec: { taints: [{ key, effect: 'NoSchedule' }] },
})
const pod = (app: string, cpu: string, nodeName?: string, phase = 'Running'): PodRequestView => ({
  metadata: { name: app, labels: { app } },
  spec: {
    ...(nodeName === undefined ? {} : { nodeName }),
    containers: [{ resources: { requests: { cpu, memory: '128Mi' } } }],
  },
  status: { phase },
})
const ask = (change: Partial<CapacityQuestion>): CapacityQuestion => ({
  app: 'a',
  copies: 1,
  perCopy: { cpuMillis: 500, memoryBytes: 2 ** 20 },
  nodes: [node('n1', '1'), node('n2', '1')],
  pods: [],
  reservations: [],
  isOwnPod: (it) => it.metadata.labels?.['app'] === 'a',
  now: 0,
  ...change,
})

describe('the capacity rule', () => {
  const table: [string, CapacityQuestion, boolean][] = [
    ['capacity for one', ask({}), true],
    ['capacity for four halves on two nodes', ask({ copies: 4 }), true],
    ['no capacity for five', ask({ copies: 5 }), false],
    ['one copy larger than every node', ask({ perCopy: { cpuMillis: 1500, memoryBytes: 0 } }), false],
    ['others fill the nodes', ask({ pods: [pod('b', '600m', 'n1'), pod('b', '600m', 'n2')] }), false],
    [
      'finished pods do not count',
      ask({ pods: [pod('b', '600m', 'n1', 'Succeeded'), pod('b', '600m', 'n2', 'Failed')] }),
      true,
    ],
    [
      'a redeploy counts only the difference',
      ask({
        copies: 4,
        pods: [pod('a', '500m', 'n1'), pod('a', '500m', 'n1'), pod('a', '500m', 'n2'), pod('a', '500m', 'n2')],
      }),
      true,
    ],
    [
      'capacity promised to another deploy',
      ask({ copies: 2, reservations: [{ attempt: 'b-1', app: 'b', cpuMillis: 1500, memoryBytes: 0, expiresAt: 10 }] }),
      false,
    ],
    [
      'a promise that expired',
      ask({ copies: 2, reservations: [{ attempt: 'b-1', app: 'b', cpuMillis: 1500, memoryBytes: 0, expiresAt: -1 }] }),
      true,
    ],
    [
      'its own earlier promise',
      ask({ copies: 4, reservations: [{ attempt: 'a-1', app: 'a', cpuMillis: 2000, memoryBytes: 0, expiresAt: 10 }] }),
      true,
    ],
    [
      'others still waiting for a node',
      ask({ copies: 2, pods: [pod('b', '500m'), pod('b', '500m'), pod('b', '500m')] }),
      false,
    ],
    ['no node at all', ask({ nodes: [] }), false],
    ['a node that takes no pods', ask({ nodes: [{ ...node('n1', '8'), spec: { unschedulable: true } }] }), false],
    [
      'nodes with a taint that the copies do not tolerate',
      ask({ nodes: [tainted('n1', 'svc.dev/reserved-gdpr'), tainted('n2', 'example.com/own')] }),
      false,
    ],
    [
      'a node reserved for a tag that they ask for',
      ask({ nodes: [tainted('n1', 'svc.dev/reserved-gdpr')], choice: { region: '', tags: ['gdpr'] } }),
      true,
    ],
    ['only nodes of another region', ask({ choice: { region: 'eu', tags: [] } }), false],
    [
      'capacity for five, but not where they may run',
      ask({
        copies: 5,
        nodes: [node('n1', '8'), tainted('n2', 'svc.dev/reserved-gdpr')],
        choice: { region: '', tags: ['gdpr'] },
      }),
      false,
    ],
    ['no copies asked', ask({ copies: 0, pods: [pod('b', '1', 'n1'), pod('b', '1', 'n2')] }), true],
  ]
  for (const [name, question, fits] of table)
    it(`${name}: ${fits ? 'fits' : 'refused'}`, () => expect(capacityFor(question).fits).to.equal(fits))

  it('says which nodes it looked for', () => {
    const answer = capacityFor(ask({ choice: { region: 'eu', tags: ['gdpr'] } }))
    expect(answer.fits ? '' : answer.message).to.equal(
      'the cluster has no capacity: no node in region eu with the tag gdpr is ready to take copies',
    )
  })

  it('says what is needed and what is free', () => {
    const answer = capacityFor(ask({ copies: 5 }))
    expect(answer.fits ? '' : answer.message).to.equal(
      'the cluster has no capacity: 2500m CPU and 5Mi memory needed, 2000m CPU and 16384Mi memory free',
    )
  })
})

describe('quantities', () => {
  for (const [text, value] of [
    ['250m', 0.25],
    ['1', 1],
    ['1.5', 1.5],
    ['2e3', 2000],
    ['64Mi', 67108864],
    ['1Gi', 1073741824],
    ['1k', 1000],
    ['.5', 0.5],
  ] as const) {
    it(`${text} is ${value}`, () => expect(quantity(text)).to.equal(value))
  }
  for (const text of ['', 'x', '1 Gi', '1GiB', '--1', 'Mi'])
    it(`"${text}" is none`, () => expect(quantity(text)).to.equal(undefined))
  it('rounds up to what the scheduler counts', () => {
    expect(cpuMillis('0.0001')).to.equal(1)
    expect(bytes(undefined)).to.equal(0)
  })
})
