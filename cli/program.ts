/** The whole command tree of `svc`, with the flags that every command takes. */
import { Command } from 'commander'
import { appCommands, appVerbs } from './apps/commands.ts'
import { login } from './auth/login.ts'
import { logout, whoami } from './auth/signed-in.ts'
import { completion } from './completion/completion.ts'
import { complianceCommands } from './compliance/commands.ts'
import { configCommands } from './config/commands.ts'
import { databaseCommands } from './databases/commands.ts'
import { envCommands } from './env/commands.ts'
import { functionCommands } from './functions/commands.ts'
import { logicalDatabaseCommands } from './logical-databases/commands.ts'
import { man } from './man/man-page.ts'
import { mcp } from './mcp/command.ts'
import { metrics } from './metrics/metrics.ts'
import { nodeCommands } from './nodes/commands.ts'
import { open } from './open/open.ts'
import { help, openapi, version } from './platform/about.ts'
import { api } from './platform/api.ts'
import { cloudCommands, settingCommands, templateCommands, tokenCommands, usage } from './platform/settings.ts'
import { projectCommands, projectParts } from './projects/commands.ts'
import { runCommands } from './runs/commands.ts'
import { cliVersion, type Cli } from './session/session.ts'
import { storeCommands } from './stores/commands.ts'
import { userCommands } from './users/commands.ts'

/** Width of help without a terminal. */
const plainWidth = 100

/** The commands of the first level by the heading of the help and by name. */
const groups: Readonly<Record<string, Readonly<Record<string, (cli: Cli) => Command>>>> = {
  'Services:': {
    apps: (cli) => appCommands(cli).addCommand(envCommands(cli)),
    ...appVerbs,
    env: envCommands,
    functions: functionCommands,
    metrics,
    open,
  },
  'Databases and buckets:': {
    databases: databaseCommands,
    'logical-databases': logicalDatabaseCommands,
    stores: storeCommands,
  },
  'Projects:': {
    projects: projectCommands,
    ...projectParts,
    templates: templateCommands,
    compliance: complianceCommands,
  },
  'Cluster:': {
    nodes: nodeCommands,
    usage,
    runs: runCommands,
    clouds: cloudCommands,
    settings: settingCommands,
  },
  'Sign-in:': {
    login,
    logout,
    whoami,
    tokens: tokenCommands,
    users: userCommands,
    config: configCommands,
  },
  'Other:': { mcp, api, openapi, version, completion, man },
}

/**
 * The tree; where the first word is the name of a command, that command alone: making all of them takes longer than a
 * short command does. The manual needs them all.
 * @param writeHelp takes help and versions, piece by piece.
 */
export function createProgram(cli: Cli, writeHelp: (text: string) => void = cli.terminal.raw, firstWord = ''): Command {
  const program = new Command('svc').description('Deploy and run services. A thin client of the HTTP API.')
  addGlobalFlags(program)
  const all = Object.entries(groups).flatMap(([heading, commands]) =>
    Object.entries(commands).map(([name, make]) => ({ heading, name, make })),
  )
  const called = all.filter(({ name }) => name === firstWord && name !== 'man')
  for (const { heading, make } of called.length > 0 ? called : all) program.addCommand(make(cli).helpGroup(heading))
  program.helpCommand(false)
  if (called.length === 0) program.addCommand(help(program).helpGroup('Other:'))
  equip(program, cli, writeHelp)
  return program
}

function addGlobalFlags(program: Command): void {
  program
    .option('--context <name>', 'saved context to use (SVC_CONTEXT)')
    .option('--url <address>', 'address of the service (SVC_URL)')
    .option('--token <token>', 'API token (SVC_TOKEN)')
    .option('-p, --project <project>', 'project, by ID or name (SVC_PROJECT)')
    .option('-e, --environment <name>', 'environment (SVC_ENVIRONMENT)')
    .option('--json', 'print answers as JSON')
    .option('-y, --yes', 'do not ask before deleting')
    .version(cliVersion, '-v, --version', "show this program's version")
}

/** Sets what addCommand does not inherit: errors are thrown, help goes to the given streams with the global flags. */
function equip(command: Command, cli: Cli, writeHelp: (text: string) => void): void {
  const { terminal } = cli
  if (command.commands.length > 0 && command.parent !== null)
    command.helpCommand('help [command]', 'show help for a command')
  command
    .exitOverride()
    .helpOption('-h, --help', 'show help')
    .configureHelp({ showGlobalOptions: command.parent !== null })
    .configureOutput({
      writeOut: writeHelp,
      writeErr: (text) => terminal.note(text.replace(/\n$/, '')),
      outputError: () => undefined, // cli/run.ts prints the thrown error, with its exit code
      getOutHelpWidth: () => (terminal.live ? terminal.columns() : plainWidth),
      getErrHelpWidth: () => (terminal.live ? terminal.columns() : plainWidth),
      getOutHasColors: () => terminal.live && terminal.colors.isColorSupported,
      getErrHasColors: () => terminal.live && terminal.colors.isColorSupported,
    })
  for (const child of command.commands) equip(child, cli, writeHelp)
}
