/** The completions that a shell gets, and that a real bash accepts the script. */
import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { recordOf } from '../client/records.ts'
import { openDesk, type Desk } from './run-svc.ts'

const cases: [string, string[]][] = [
  ['dep', ['deploy']],
  ['services d', ['delete', 'deploy', 'deploy-key', 'deployments', 'discard']],
  ['apps create --mode ', ['event', 'http']],
  ['deploy web --t', ['--timeout', '--token']],
  ['--context prod config use', ['use-context']],
  ['apps set web --tls ', ['off', 'on']],
  ['apps set web --tls of', ['off']],
  ['completion ', ['bash', 'fish', 'zsh']],
  ['deploy w', ['web', 'worker']],
  ['deploy web w', []],
  ['databases delete ', ['main']],
  ['logical get o', ['orders']],
  ['buckets set ', ['photos']],
  ['apps attach w', ['web', 'worker']],
  ['apps attach web ', ['main', 'orders', 'photos']],
  ['databases create --engine ', ['mysql', 'postgres', 'redis', 'sqlite']],
  ['projects get ', ['proj-1a2b3c4d', 'shop', 'proj-2a2b3c4d', 'proj-3a2b3c4d']],
  ['-p s', ['shop']],
  ['deploy web --project proj-2', ['proj-2a2b3c4d']],
  ['templates deploy whoami -e ', ['production', 'staging']],
  ['templates deploy w', ['whoami']],
  ['nodes tag ', ['node-1']],
  ['logical-databases create orders --server ', ['main']],
  ['projects logs --service a', ['api']],
  ['databases connect --database ', []],
  ['__', []],
]

describe('completion', () => {
  let desk: Desk
  beforeEach(async () => {
    desk = await openDesk()
    desk.service.on('GET /apps', { json: { items: ['web', 'worker', 'api'].map((name) => ({ name })) } })
    const project = (name: string, displayName: string, environments: string[]) => ({
      ...recordOf({ kind: 'project', name, displayName, details: { environments } }).resource,
    })
    const projects = [
      project('proj-1a2b3c4d', 'shop', ['production']),
      project('proj-2a2b3c4d', 'My shop', ['production', 'staging']),
      project('proj-3a2b3c4d', 'rings\u0007', ['production']),
    ]
    desk.service.on('GET /projects', { json: { items: projects } })
    desk.service.on('GET /nodes', { json: { items: [{ name: 'node-1' }] } })
    desk.service.on('GET /templates', { json: { items: [{ id: 'whoami' }] } })
    const records = { databases: 'main', 'logical-databases': 'orders', 'object-stores': 'photos' }
    for (const [path, name] of Object.entries(records)) desk.service.on(`GET /${path}`, { json: { items: [{ name }] } })
  })
  afterEach(async () => await desk.close())
  const env = () => ({ SVC_URL: desk.service.url, SVC_TOKEN: 'svw_a_b' })

  for (const [typed, wanted] of cases) {
    it(`of "svc ${typed}" is ${wanted.join(' ') || 'nothing'}`, async () => {
      const { code, out, err } = await desk.svc(['__complete', '--', ...typed.split(' ')], { env: env() })
      expect([code, out.split('\n').filter(Boolean), err]).to.deep.equal([0, wanted, ''])
    })
  }
  it('offers no readable name that a shell would act on, or take for an option', async () => {
    const names = ['a;id', '$(id)', '`id`', 'a|id', 'a&id', 'a>b', '*', '--yes', "a'b", 'a\\b', 'Läden-2']
    const items = names.map((displayName) => ({ name: 'proj-1a2b3c4d', displayName, details: {} }))
    desk.service.on('GET /projects', { json: { items } })
    const { out } = await desk.svc(['__complete', '--', 'projects', 'get', ''], { env: env() })
    expect(out.split('\n').filter(Boolean)).to.deep.equal(['proj-1a2b3c4d', 'Läden-2'])
  })
  it('offers nothing, and no error, when the service is away', async () => {
    await desk.service.stop()
    expect(await desk.svc(['__complete', '--', 'deploy', ''], { env: env() })).to.deep.include({
      code: 0,
      out: '',
      err: '',
    })
  })
  it('works in bash', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-bash-'))
    const node = process.execPath
    await writeFile(
      join(folder, 'svc'),
      `#!/bin/sh\nexec '${node}' '${join(import.meta.dirname, '../../cli/main.ts')}' "$@"\n`,
    )
    await chmod(join(folder, 'svc'), 0o755)
    const script =
      'source <(svc completion bash); COMP_WORDS=(svc apps dep); COMP_CWORD=2; _svc; printf "%s\\n" "${COMPREPLY[@]}"'
    const { stdout } = await promisify(execFile)('bash', ['-c', script], {
      env: { ...process.env, PATH: `${folder}:${process.env['PATH']}` },
    })
    expect(stdout.trim().split('\n')).to.deep.equal(['deploy', 'deploy-key', 'deployments'])
    await rm(folder, { recursive: true })
  })
})
