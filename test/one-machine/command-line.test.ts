/** `npx svc` right after a start: it prints the command's output and nothing from npm. */
import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { buildCommandLine } from '../../one-machine/start/command-line.ts'
import { temporaryFolder } from './temporary.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

describe('npx svc', function () {
  this.timeout(60_000)
  const folder = temporaryFolder()

  it('says what was asked for and no warning of npm', async () => {
    await buildCommandLine()
    // The environment of a user without npm settings, started by no other npm.
    const settings = join(folder(), 'npmrc')
    writeFileSync(settings, '')
    const own = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))
    const env = { ...Object.fromEntries(own), npm_config_userconfig: settings, npm_config_update_notifier: 'false' }
    const { stdout, stderr } = await promisify(execFile)('npx', ['svc', '--version'], { cwd: root, env })
    expect(stdout).to.match(/^\S+\n$/)
    expect(stderr).to.equal('')
  })
})
