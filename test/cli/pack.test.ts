/** The npm package: what is in it, and that it installs and runs alone. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { packCli } from '../../cli/pack.ts'

const run = promisify(execFile)

/** The bundle with its compressed parts as text. */
const unpacked = (bundle: string): string =>
  bundle.replaceAll(/ (H4sI\S+)$/gm, (_, part: string) => gunzipSync(Buffer.from(part, 'base64')).toString('utf8'))

describe('the npm package', function () {
  this.timeout(180_000)
  let folder: string
  before(async () => (folder = await mkdtemp(join(tmpdir(), 'svc-pack-'))))
  after(async () => await rm(folder, { recursive: true }))

  it('has the bundled command, its pages and completions, and installs without anything else', async () => {
    const file = await packCli(folder)
    const { stdout } = await run('tar', ['-tzf', file])
    const parts = stdout
      .trim()
      .split('\n')
      .map((path) => path.replace('package/', ''))
    const others = parts.filter((path) => !/^(man\/svc(-[a-z-]+)?\.1|completions\/svc\.(bash|zsh|fish))$/.test(path))
    expect(others.toSorted()).to.deep.equal(['LICENSE', 'README.md', 'package.json', 'svc.mjs'])
    expect(parts).to.include.members(['man/svc.1', 'man/svc-apps.1', 'completions/svc.fish'])

    const home = join(folder, 'installed')
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--prefix', home, file], { cwd: folder })
    const listed: unknown = JSON.parse((await run('npm', ['ls', '--all', '--json', '--prefix', home])).stdout)
    expect(listed).to.have.property('dependencies').that.has.all.keys('svc')
    const svc = async (...args: string[]) => (await run(join(home, 'node_modules/.bin/svc'), args)).stdout
    expect(await svc('--version')).to.match(/\S\n$/)
    expect(await svc('help', 'deploy')).to.include('--wait')
    // Words that no shortening of names changes: of a tool, and of what only api and worker do (see parts.test.ts).
    const program = unpacked(await readFile(join(home, 'node_modules/svc/svc.mjs'), 'utf8'))
    expect(program).to.include('set_sleep_when_idle')
    for (const words of ['svc.svc.dev/v1alpha1', 'argon2', 'temporal', 'kube-system', 'application/apply-patch+yaml'])
      expect(program).not.to.include(words)
  })
})
