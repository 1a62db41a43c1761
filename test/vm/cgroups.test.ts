/**
 * The node's place in the real unified tree of cgroups, under systemd: made, enforced by the kernel, and removed
 * afterwards.
 */
import { expect } from 'chai'
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { canHaveNode } from '../../one-machine/node/can-have.ts'
import { makeCgroups, removeCgroups } from '../../one-machine/node/cgroups.ts'

const root = '/sys/fs/cgroup'
const name = 'svc-vmtest'
const own = join(root, name)
const canHave = new URL('../../one-machine/node/can-have.ts', import.meta.url).href
const ask = `const { canHaveNode } = await import('${canHave}'); console.log(JSON.stringify(canHaveNode()))`

const words = (...path: string[]): string[] =>
  readFileSync(join(...path), 'utf8')
    .trim()
    .split(/\s+/)

/** User-mode Linux has no cpuset, since it has one processor. */
const controllers = ['cpu', 'memory', 'pids', ...words(root, 'cgroup.controllers').filter((one) => one === 'cpuset')]

/** The result of the check in a systemd service with these properties. */
function askInService(...properties: string[]): unknown {
  const flags = ['--quiet', '--wait', '--pipe', '--collect', ...properties.flatMap((property) => ['-p', property])]
  const { stdout, stderr } = spawnSync('systemd-run', [...flags, process.execPath, '--input-type=module', '-e', ask], {
    encoding: 'utf8',
  })
  if (stdout === '') throw new Error(stderr)
  return JSON.parse(stdout)
}

describe('cgroup v2 under systemd', function () {
  this.timeout(300_000)
  before(() => {
    if (!existsSync(join(root, 'cgroup.controllers')))
      throw new Error(`${root} is not the unified tree: this runs in the virtual machine of npm run test:vm`)
    expect(readFileSync('/proc/1/comm', 'utf8')).to.equal('systemd\n')
  })
  after(async () => void (await removeCgroups(name)))

  it('lets a node be had by root', () => expect(canHaveNode()).to.deep.equal({ ok: true }))

  it('lets a node be had by a service of systemd', () => expect(askInService()).to.deep.equal({ ok: true }))

  it('says why not to a service that may only read cgroups', () =>
    expect(askInService('ProtectControlGroups=yes')).to.deep.equal({
      ok: false,
      why: 'root may not make cgroups here (EROFS), as in most containers',
    }))

  it('says why not to a service of another user', () =>
    expect(askInService('User=nobody')).to.deep.equal({ ok: false, why: 'a real node needs root: start with sudo' }))

  it('hands the controllers down to the pods, and a leaf takes processes', async () => {
    const [leaf = ''] = await makeCgroups(name)
    expect(leaf).to.equal(join(own, 'system'))
    for (const folder of [root, own]) expect(words(folder, 'cgroup.subtree_control')).to.include.members(controllers)
    writeFileSync(join(leaf, 'memory.max'), String(64 * 1024 * 1024))
    writeFileSync(join(leaf, 'memory.swap.max'), '0')
    // GNU's tail would seek in it and write without end; busybox tail keeps all it reads in memory.
    const greedy = `echo $$ > ${leaf}/cgroup.procs; exec busybox tail -c 200000000 /dev/zero`
    expect(spawnSync('sh', ['-c', greedy]).signal).to.equal('SIGKILL')
    expect(words(leaf, 'memory.events').join(' ')).to.match(/oom_kill [1-9]/)
  })

  it('keeps them when systemd looks at its units anew', () => {
    expect(spawnSync('systemctl', ['daemon-reload']).status).to.equal(0)
    expect(words(own, 'cgroup.controllers')).to.include.members(controllers)
  })

  it('names what still holds a process, and leaves nothing once that is gone', async () => {
    const busy = spawnSync('sh', [
      '-c',
      `(echo 0 > ${own}/system/cgroup.procs; exec sleep 2) >/dev/null 2>&1 & sleep 1; ls ${own}/system/cgroup.procs`,
    ])
    expect(busy.status).to.equal(0)
    expect(await removeCgroups(name)).to.deep.equal([])
    expect(readdirSync(root)).to.not.include(name)
  })
})
