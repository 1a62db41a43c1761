/**
 * The node's place in cgroup trees of both versions, simulated by plain folders; the real ones are tested with the real
 * node.
 */
import { expect } from 'chai'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeCgroups, removeCgroups, whyNoCgroups } from '../../../one-machine/node/cgroups.ts'
import { temporaryFolder } from '../temporary.ts'

const hierarchies = ['cpu', 'cpuacct', 'cpuset', 'memory', 'devices', 'pids']

function write(folder: string, files: Record<string, string>): void {
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
}

describe('cgroups of a node', () => {
  const folder = temporaryFolder()
  const at = (...names: string[]): string => join(folder(), ...names)

  describe('version 2', () => {
    const all = 'cpuset cpu io memory hugetlb pids rdma misc\n'
    const root = (files: Record<string, string> = {}): string => {
      write(folder(), { 'cgroup.controllers': all, 'cgroup.subtree_control': 'cpu memory pids\n', ...files })
      return folder()
    }

    it('can be had at the root of a machine, which hands down what is missing there', () => {
      expect(whyNoCgroups(root(), 2)).to.equal(undefined)
      expect(existsSync(at(`svc-try-${process.pid}`))).to.equal(false)
    })

    const refusals: [string, Record<string, string>, string][] = [
      [
        'a missing controller',
        { 'cgroup.controllers': 'cpu cpuset io pids\n' },
        'the cgroup controllers memory are not to be had here',
      ],
      [
        'nothing but an empty list',
        { 'cgroup.controllers': '\n' },
        'the cgroup controllers cpu, memory, pids are not to be had here',
      ],
      [
        'a container that hands nothing down',
        { 'cgroup.type': 'domain\n' },
        "this container's cgroup does not hand down cpuset, hugetlb",
      ],
    ]
    for (const [what, files, sentence] of refusals)
      it(`names ${what}`, () => expect(whyNoCgroups(root(files), 2)).to.equal(sentence))

    it('can be had on a kernel without the controllers that the kubelet can do without', () => {
      const three = { 'cgroup.controllers': 'cpu io memory pids\n', 'cgroup.type': 'domain\n' }
      expect(whyNoCgroups(root(three), 2)).to.equal(undefined)
    })

    it('can be had inside a container that hands everything down', () => {
      expect(whyNoCgroups(root({ 'cgroup.type': 'domain\n', 'cgroup.subtree_control': all }), 2)).to.equal(undefined)
    })

    it('puts its processes into a leaf, and asks the root for what it does not hand down', async () => {
      const four = 'cpu cpuset memory pids'
      write(at('svc-1'), { 'cgroup.controllers': four, 'cgroup.subtree_control': four })
      root({ 'cgroup.controllers': four, 'cgroup.subtree_control': four })
      expect(await makeCgroups('svc-1', folder(), 2)).to.deep.equal([at('svc-1', 'system')])
      expect(existsSync(at('svc-1', 'system'))).to.equal(true)
      root() // a plain file keeps the last write; a kernel would add it to the list
      const refused = await makeCgroups('svc-1', folder(), 2).then(String, String)
      expect(refused).to.match(/does not hand down the cgroup controllers /)
      expect(readFileSync(at('cgroup.subtree_control'), 'utf8')).to.match(/^\+/)
    })
  })

  describe('version 1', () => {
    const roots = (names: readonly string[] = hierarchies): string => {
      for (const name of names) write(at(name), { 'cgroup.procs': '', 'cgroup.clone_children': '0\n' })
      return folder()
    }

    it('can be had where every hierarchy is mounted', () => expect(whyNoCgroups(roots(), 1)).to.equal(undefined))

    it('names the hierarchies that are not mounted', () => {
      expect(whyNoCgroups(roots(['cpu', 'cpuacct', 'memory', 'pids']), 1)).to.equal(
        'the cgroup hierarchies cpuset, devices are not mounted',
      )
    })

    it('makes a folder in each hierarchy once, links and the empty unified tree aside, and fills in the cpuset', async () => {
      roots(['cpu,cpuacct', 'memory', 'cpuset'])
      symlinkSync('cpu,cpuacct', at('cpu'))
      write(at('unified'), { 'cgroup.procs': '' })
      write(at('cpuset'), { 'cpuset.cpus': '0-1', 'cpuset.mems': '0' })
      write(at('cpuset', 'svc-1', 'system'), { 'cpuset.cpus': '', 'cpuset.mems': '' })
      const made = await makeCgroups('svc-1', folder(), 1)
      expect(made.toSorted()).to.deep.equal([
        at('cpu,cpuacct', 'svc-1/system'),
        at('cpuset', 'svc-1/system'),
        at('memory', 'svc-1/system'),
      ])
      expect(readFileSync(at('cpuset', 'svc-1', 'system', 'cpuset.cpus'), 'utf8')).to.equal('0-1')
      expect(existsSync(at('unified', 'svc-1'))).to.equal(false)
    })

    it('is removed from every hierarchy, deepest folders first, also what others made in the unified tree', async () => {
      for (const name of ['memory', 'unified']) mkdirSync(at(name, 'svc-1/kubepods/pod1'), { recursive: true })
      mkdirSync(at('memory', 'svc-2'))
      expect(await removeCgroups('svc-1', folder(), 1)).to.deep.equal([])
      expect(existsSync(at('memory', 'svc-1')) || existsSync(at('unified', 'svc-1'))).to.equal(false)
      expect(existsSync(at('memory', 'svc-2'))).to.equal(true)
    })
  })

  it('cannot be had where nothing is mounted', () =>
    expect(whyNoCgroups(at('none'))).to.equal(`no cgroups are mounted at ${at('none')}`))
})
