/** The help texts, compared with the checked-in text. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'chai'
import { helpPagesPath, makeHelpPages } from '../../cli/help-pages.ts'
import { createProgram } from '../../cli/program.ts'
import type { Cli } from '../../cli/session/session.ts'
import { openDesk } from './run-svc.ts'

const root = join(import.meta.dirname, '../..')

/** Commands (docs/reference/command-line.md#commands); nouns with their verbs. */
const promised = `
login logout whoami version openapi api completion help deploy status logs scale rollback
config get-contexts|config use-context|config set-context
apps list|apps get|apps create|apps delete|apps deployments|apps attach|apps deploy|apps status|apps logs|apps scale|apps rollback
env list|env set|env unset|projects list|projects get|projects create
databases list|databases get|databases connection|stores list|stores get
databases create|databases create-server|databases set|databases deploy|databases discard|databases retry|databases delete
logical-databases list|logical-databases get|logical-databases create|logical-databases set|logical-databases backup|logical-databases retry|logical-databases delete|logical-databases connection
stores create|stores create-server|stores set|stores backup|stores restore|stores deploy|stores discard|stores retry|stores delete
nodes list|nodes tag|compliance show|compliance set|compliance clear
metrics open`

describe('help', () => {
  it('is what is checked in; `npm run generate` writes it anew', async () => {
    expect(await makeHelpPages()).to.equal(await readFile(join(root, helpPagesPath), 'utf8'))
  })
  it('of a command is the same where that command alone was made', async () => {
    const cli = { terminal: { live: false, raw: () => undefined }, env: {} } as unknown as Cli // none is run
    const { commands } = await createProgram(cli)
    const whole = commands.filter((command) => !['help', 'man'].includes(command.name()))
    expect(whole.length).to.be.above(30)
    for (const command of whole) {
      const alone = (await createProgram(cli, undefined, command.name())).commands
      expect(alone.map((it) => it.name())).to.deep.equal([command.name()])
      expect(alone[0]?.helpInformation()).to.equal(command.helpInformation())
    }
  })
  it('is there for every promised command, by every alias', async () => {
    const desk = await openDesk()
    const commands = promised
      .trim()
      .split('\n')
      .flatMap((line) => line.split(line.includes('|') ? '|' : ' '))
    const aliased = ['app', 'services', 'service', 'db', 'logical', 'buckets'].map((alias) => `${alias} list`)
    for (const command of [...commands, ...aliased]) {
      const { code, out } = await desk.svc([...command.split(' '), '--help'])
      expect(code, command).to.equal(0)
      expect(out, command).to.match(new RegExp(`^Usage: svc .*\\b${command.split(' ').at(-1)}\\b`))
    }
    await desk.close()
  })
  it('shows the global flags with every command', async () => {
    const desk = await openDesk()
    const { out } = await desk.svc(['apps', 'scale', '--help'])
    for (const flag of ['--context', '--url', '--token', '-p, --project', '-e, --environment', '--json', '-y, --yes'])
      expect(out).to.include(flag)
    await desk.close()
  })
})
