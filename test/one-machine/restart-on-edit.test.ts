/** `npm run dev`: which process an edit restarts, and `npm start --watch` as a user runs it. */
import { expect } from 'chai'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort, loopback } from '../../one-machine/processes/ports.ts'
import type { Part } from '../../one-machine/platform.ts'
import { partsOf, restartOnEdit } from '../../one-machine/start/restart-on-edit.ts'
import { makeServersOf } from '../harness/servers.ts'
import { Start, startWithinMs } from './started.ts'
import { eventually, temporaryFolder } from './temporary.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folders = [
  'contract',
  'durable',
  'kinds',
  'cluster',
  'outside',
  'records',
  'temporal',
  'api',
  'templates',
  'activities',
  'workflows',
]

describe('partsOf', () => {
  const cases: [string, Part[]][] = [
    ['api/apps/scale.ts', ['api']],
    ['api/reference/page.mjs', ['api']],
    ['templates/adminer.yaml', ['api']],
    ['activities/apps/look.ts', ['worker']],
    ['workflows/apps/service.ts', ['worker']],
    ['kinds/apps/kind.ts', ['api', 'worker']],
    ['temporal/client/client.ts', ['api', 'worker']],
    ['cli/main.ts', []],
    ['test/api/tokens.test.ts', []],
    ['api/apps/.scale.ts.swp', []],
    ['contract/openapi.json', []],
  ]
  for (const [path, parts] of cases)
    it(`${path}: ${parts.join(' and ') || 'none'}`, () => expect(partsOf(path)).to.deep.equal(parts))
})

describe('restartOnEdit', () => {
  const folder = temporaryFolder()
  const restarts: Part[] = []
  const lines: string[] = []
  let restart: (part: Part) => Promise<void>
  let stop: () => void
  const edit = (path: string): void => {
    mkdirSync(dirname(join(folder(), path)), { recursive: true })
    writeFileSync(join(folder(), path), `export const at = ${performance.now()}\n`)
  }
  beforeEach(() => {
    for (const each of folders) mkdirSync(join(folder(), each))
    restarts.length = 0
    lines.length = 0
    restart = async () => undefined
    const noted = async (part: Part): Promise<void> => {
      restarts.push(part)
      await restart(part)
    }
    stop = restartOnEdit({ root: folder(), restart: noted, say: (line) => lines.push(line) })
  })
  afterEach(() => stop())

  it('starts again what loads the file, once for several edits, also in a folder that is new', async () => {
    for (const file of ['workflows/a.ts', 'workflows/apps/b.ts', 'activities/c.ts']) edit(file)
    await eventually(() => lines.length > 0)
    edit('api/apps/d.ts')
    await eventually(() => lines.length > 1)
    expect(restarts).to.deep.equal(['worker', 'api'])
    expect(lines).to.deep.equal(['the worker runs again', 'the api runs again'])
  })

  it('starts again after a restart what was edited meanwhile', async () => {
    let first = true
    restart = async () => {
      if (first) edit('api/b.ts')
      first = false
      await new Promise((resolve) => setTimeout(resolve, 400)) // longer than edits are collected
    }
    edit('api/a.ts')
    await eventually(() => lines.length > 1)
    expect(restarts).to.deep.equal(['api', 'api'])
  })

  it('says why nothing runs, and tries again with the next edit', async () => {
    restart = async () => await Promise.reject(new Error('api ended (exit code 1)'))
    edit('api/a.ts')
    await eventually(() => lines.length > 0)
    restart = async () => undefined
    edit('api/a.ts')
    await eventually(() => lines.length > 1)
    expect(lines).to.deep.equal([
      'the api does not start, the next edit tries again: api ended (exit code 1)',
      'the api runs again',
    ])
  })
})

describe('npm run dev', function () {
  this.timeout(2 * startWithinMs)
  let dataDir: string
  let running: Start | undefined
  before(async () => {
    await makeServersOf('simulated')
    dataDir = mkdtempSync(join(tmpdir(), 'svc-dev-'))
  })
  after(async () => {
    await running?.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })

  it('starts the api alone again after an edit of a file of the api, and then serves', async () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    const [first = '', ...args] =
      scripts['dev']?.replace('exec node one-machine/boot.mjs one-machine/start.ts ', '').split(' ') ?? []
    const port = await freePort()
    running = new Start(first, ...args, '--cluster', 'simulated', '--data', dataDir, '--port', String(port))
    await running.untilServed()
    const pids = (): Record<string, number> => {
      const noted = JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8')) as { name: string; pid: number }[]
      return Object.fromEntries(noted.map(({ name, pid }) => [name, pid]))
    }
    const before = pids()
    await eventually(() => running?.output.includes('an edit starts the api or the worker again') === true)
    utimesSync(join(root, 'api/main.ts'), new Date(), new Date())
    await eventually(() => running?.output.includes('svc: the api runs again') === true, startWithinMs)
    const after = pids()
    expect(after['api']).to.be.a('number').and.not.to.equal(before['api'])
    expect(after['worker']).to.equal(before['worker'])
    expect((await fetch(`http://${loopback}:${port}/healthz`)).status).to.equal(200)
  })
})
