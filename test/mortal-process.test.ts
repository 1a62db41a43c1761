/** The processes of kill runs are not left behind by a run that is killed itself. */
import { expect } from 'chai'
import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { identify } from '../one-machine/processes/index.ts'
import { eventually, temporaryFolder } from './one-machine/temporary.ts'

const root = join(import.meta.dirname, '..')
const module = new URL('./kill/mortal-process.ts', import.meta.url).href

describe('a process of a kill run', () => {
  const folder = temporaryFolder()

  it('ends with its parent, though its event loop is blocked', async function () {
    if (process.platform !== 'linux') this.skip()
    this.timeout(60_000)
    const entry = join(folder(), 'busy.mjs')
    writeFileSync(entry, "console.log('up'); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)")
    const options = JSON.stringify({ entry: relative(root, entry), env: {}, ready: 'up' })
    const script = `import('${module}').then(async (m) => console.log((await m.startProcess(${options})).pid))`
    const parent = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    const pid = await new Promise<number>((resolve) =>
      parent.stdout.once('data', (data) => resolve(Number(String(data)))),
    )
    expect(identify(pid)).to.not.equal(undefined)
    parent.kill('SIGKILL')
    try {
      await eventually(() => identify(pid) === undefined, 10_000)
    } finally {
      if (identify(pid) !== undefined) process.kill(pid, 'SIGKILL')
    }
  })
})
