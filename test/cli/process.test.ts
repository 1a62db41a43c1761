/** The program as a process: Ctrl-C, a closed pipe, and the one-file bundle on the supported versions of Node. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { access, constants, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { buildCli } from '../../cli/bundle.ts'
import { startRecordedService, type RecordedService } from '../client/recorded-service.ts'
import { pending } from '../client/status.ts'

const main = join(import.meta.dirname, '../../cli/main.ts')

describe('the process', function () {
  this.timeout(30_000)
  let service: RecordedService
  beforeEach(async () => {
    service = await startRecordedService()
  })
  afterEach(async () => await service.stop())

  const start = (program: string, args: string[], node = process.execPath) =>
    spawn(node, [program, ...args], {
      env: {
        PATH: process.env['PATH'],
        SVC_URL: service.url,
        SVC_TOKEN: 'svw_a_b',
        SVC_CONFIG: '/nonexistent/config.json',
      },
    })

  it('says at Ctrl-C that the deploy goes on, and ends with 1', async () => {
    service.on('GET /apps/web/status', { json: pending('web-new') })
    service.on('POST /apps/web/deploy', {
      json: { ok: true, pending: [], deployed: true, title: '', detail: '', button: '' },
    })
    const child = start(main, ['deploy', 'web', '--wait'])
    let err = ''
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
    await once(child.stdout, 'data')
    child.kill('SIGINT')
    const code = await endOf(child)
    expect([code, err]).to.deep.equal([
      1,
      'error: no longer waiting; the deploy of web goes on, look with `svc status web --wait`\n',
    ])
  })
  it('ends quietly when the reader of a pipe has had enough', async () => {
    const long = {
      t: '2026-11-21T13:00:00Z',
      service: 'web',
      pod: 'web-1',
      container: 'app',
      line: 'x'.repeat(1000),
      level: 'info',
      previous: false,
    }
    service.on('GET /apps/web/logs', {
      json: { lines: Array.from({ length: 2000 }, () => long), services: [], truncated: false, note: '' },
    })
    const child = start(main, ['logs', 'web'])
    let err = ''
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
    await once(child.stdout, 'data')
    child.stdout.destroy()
    const code = await endOf(child)
    expect([code, err]).to.deep.equal([0, ''])
  })
  it('is bundled into one executable file that works without the project', async () => {
    const file = await buildCli()
    await access(file, constants.X_OK)
    service.on('GET /me', { json: { username: 'ci', role: 'admin' } })
    for (const node of nodes()) {
      const child = start(file, ['whoami', '--json'], node)
      let out = ''
      child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
      const code = await endOf(child)
      expect([code, JSON.parse(out)], node).to.deep.equal([0, { username: 'ci', role: 'admin' }])
    }
  })
  it('is not bundled again when nothing changed', async () => {
    const writtenAt = async () => (await stat(await buildCli())).mtimeMs
    expect(await writtenAt()).to.equal(await writtenAt())
  })
})

/** The exit code; null when a signal ended it. */
async function endOf(child: ChildProcess): Promise<number | null> {
  await once(child, 'close')
  return child.exitCode
}

/** This Node, and the machine's own when it is version 20 or newer. */
function nodes(): string[] {
  const { stdout } = spawnSync('sh', ['-c', 'command -v node && node --version'], { encoding: 'utf8' })
  const [path = '', version = ''] = stdout.trim().split('\n')
  return Number(version.slice(1).split('.')[0]) >= 20 ? [process.execPath, path] : [process.execPath]
}
