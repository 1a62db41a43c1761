/** Programs that make images end with the process that wanted the image. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { run } from '../../../one-machine/images/run.ts'
import { eventually, temporaryFolder } from '../temporary.ts'

const module = join(import.meta.dirname, '../../../one-machine/images/run.ts')

const isRunning = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('a program that makes an image', () => {
  const folder = temporaryFolder()

  it('gives what it printed, and rejects with its errors', async () => {
    expect((await run('echo', ['made'])).stdout).to.equal('made\n')
    const failed = await run('sh', ['-c', 'echo broken >&2; exit 3']).catch((error: unknown) => String(error))
    expect(failed).to.include('broken')
  })

  it('ends with the process that started it', async () => {
    const file = join(folder(), 'pid')
    const script = `import { run } from ${JSON.stringify(module)}
      void run('sh', ['-c', 'echo $$ >${file}; exec sleep 60'])
      process.stdin.once('data', () => process.exit())`
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script])
    const pid = (): number => Number(existsSync(file) ? readFileSync(file, 'utf8') : '')
    await eventually(() => pid() > 0)
    expect(isRunning(pid())).to.equal(true)
    parent.stdin.write('end\n')
    await once(parent, 'exit')
    await eventually(() => !isRunning(pid()))
  })
})
