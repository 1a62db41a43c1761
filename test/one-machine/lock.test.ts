/** The lock file: one owner, waiting, and taking over from a dead process. */
import { expect } from 'chai'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LockHeld, takeLock, waitForLock } from '../../one-machine/processes/lock.ts'
import { identify, isRunning } from '../../one-machine/processes/identity.ts'
import { eventually, temporaryFolder } from './temporary.ts'

const lockModule = new URL('../../one-machine/processes/lock.ts', import.meta.url).href

describe('a lock', () => {
  const folder = temporaryFolder()
  const path = (): string => join(folder(), 'deep', 'lock')

  it('is held by one owner at a time', () => {
    const lock = takeLock(path())
    expect(() => takeLock(path())).to.throw(LockHeld, `is held by process ${process.pid}`)
    lock.release()
    takeLock(path()).release()
    expect(existsSync(path())).to.equal(false)
  })

  it('is waited for, and its owner is shown', async () => {
    const lock = takeLock(path())
    const owners: number[] = []
    const waiting = waitForLock(path(), (owner) => owners.push(owner))
    setTimeout(() => lock.release(), 600)
    const taken = await waiting
    taken?.release()
    expect(owners).to.deep.equal([process.pid])
  })

  it('is waited for no longer than it is needed', async () => {
    const lock = takeLock(path())
    let asked = 0
    expect(
      await waitForLock(
        path(),
        () => undefined,
        () => (asked += 1) < 3,
      ),
    ).to.equal(undefined)
    lock.release()
  })

  it('is taken over when its owner was killed', async () => {
    const owner = spawn(process.execPath, [
      '-e',
      `import('${lockModule}').then(m => { m.takeLock('${path()}'); setInterval(() => {}, 1000) })`,
    ])
    await eventually(() => existsSync(path()))
    expect(() => takeLock(path())).to.throw(LockHeld, `process ${owner.pid}`)
    const ended = new Promise((resolve) => owner.once('exit', resolve))
    owner.kill('SIGKILL')
    await ended
    takeLock(path()).release()
  })

  it("is taken over when its owner's pid belongs to another process now", () => {
    takeLock(path()).release()
    writeFileSync(path(), JSON.stringify({ pid: process.pid, began: 'before this process' }))
    takeLock(path()).release()
  })

  it('is taken over when the file says nothing', () => {
    takeLock(path()).release()
    writeFileSync(path(), '')
    const lock = takeLock(path())
    expect(JSON.parse(readFileSync(path(), 'utf8'))).to.have.property('pid', process.pid)
    lock.release()
  })
})

describe('a process identity', () => {
  it('is that of a running process only', () => {
    const me = identify(process.pid)
    expect(me !== undefined && isRunning(me)).to.equal(true)
    const { pid } = spawnSync('true')
    expect(identify(pid)).to.equal(undefined)
    expect(isRunning({ pid: process.pid, began: 'another time' })).to.equal(false)
  })
})
