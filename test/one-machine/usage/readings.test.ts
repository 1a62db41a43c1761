/** What two readings of the kubelet's counters say. */
import { expect } from 'chai'
import { createUseReader } from '../../../one-machine/usage/readings.ts'

const line = (name: string, value: number, at: number, container = 'app', pod = 'web-1') =>
  `${name}{container="${container}",namespace="shop",pod="${pod}"} ${value} ${at}`
const container = (core: number, bytes: number, at: number, ...where: string[]) =>
  [
    line('container_cpu_usage_seconds_total', core, at, ...where),
    line('container_memory_working_set_bytes', bytes, at + 3, ...where),
  ].join('\n')
const head = '# HELP container_cpu_usage_seconds_total [STABLE] Cumulative cpu time\n'

describe('the use of pods by readings of the kubelet', () => {
  const read = (...texts: string[]) => {
    const reader = createUseReader()
    for (const text of texts) reader.note(head + text)
    return reader
  }
  const ofApp = (...texts: string[]) =>
    read(...texts)
      .ofPod('shop', 'web-1')
      .get('app')

  it('is the CPU time between two readings, and the memory of the later one', () => {
    expect(ofApp(container(10, 5, 1_000), container(15, 7, 11_000))).to.deep.equal({
      at: 11_000,
      windowSeconds: 10,
      cores: 0.5,
      bytes: 7,
    })
  })

  it('is unknown after one reading, and for a container that was restarted', () => {
    expect(ofApp(container(10, 5, 1_000))).to.equal(undefined)
    expect(ofApp(container(10, 5, 1_000), container(0.1, 5, 11_000))).to.equal(undefined)
    expect(ofApp(container(10, 5, 1_000), container(0.1, 5, 11_000), container(2.1, 5, 21_000))?.cores).to.equal(0.2)
  })

  it('stays as it was while the kubelet repeats a reading', () => {
    const [first, second] = [container(10, 5, 1_000), container(15, 7, 11_000)]
    expect(ofApp(first, second, second)).to.deep.equal(ofApp(first, second))
  })

  it('is dropped with its container, and of no other pod', () => {
    const [first, second] = [container(10, 5, 1_000), container(15, 7, 11_000)]
    const other = (core: number, at: number) => container(core, 1, at, 'app', 'web-12')
    expect(ofApp(first, second, '')).to.equal(undefined)
    expect(ofApp(other(1, 1_000), other(2, 11_000))).to.equal(undefined)
    const both = read(`${first}\n${container(1, 1, 1_000, 'side')}`, `${second}\n${container(2, 1, 11_000, 'side')}`)
    expect([...both.ofPod('shop', 'web-1').keys()]).to.deep.equal(['app', 'side'])
    expect(both.ofPod('other', 'web-1').size).to.equal(0)
  })

  it('leaves out what has only one of the two numbers', () => {
    const cpu = (core: number, at: number) => line('container_cpu_usage_seconds_total', core, at)
    expect(ofApp(cpu(10, 1_000), cpu(15, 11_000))).to.equal(undefined)
  })

  it('of the node is read likewise', () => {
    const node = (core: number, at: number) =>
      `node_cpu_usage_seconds_total ${core} ${at}\nnode_memory_working_set_bytes 2.5e+09 ${at}`
    expect(read(node(100, 1_000)).ofNode()).to.equal(undefined)
    expect(read(node(100, 1_000), node(103, 3_000)).ofNode()).to.deep.equal({
      at: 3_000,
      windowSeconds: 2,
      cores: 1.5,
      bytes: 2_500_000_000,
    })
  })
})
