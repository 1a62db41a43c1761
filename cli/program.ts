/** The whole command tree of `svc`, with the flags that every command takes. */
import { Command } from 'commander'
import { appCommands, directAppCommands } from './apps/commands.ts'
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
import { projectCommands, projectPartCommands } from './projects/commands.ts'
import { runCommands } from './runs/commands.ts'
import { cliVersion, type Cli } from './session/session.ts'
import { storeCommands } from './stores/commands.ts'
import { userCommands } from './users/commands.ts'

/** Width of help without a terminal. */
const plainWidth = 100

/** @param writeHelp takes help and versions, piece by piece. */
export function createProgram(cli: Cli, writeHelp: (text: string) => void = cli.terminal.raw): Command {
  const program = new Command('svc').description('Deploy and run services. A thin client of the HTTP API.')
  addGlobalFlags(program)
  const groups: Readonly<Record<string, Command[]>> = {
    'Services:': [
      appCommands(cli).addCommand(envCommands(cli)),
      ...directAppCommands(cli),
      envCommands(cli),
      functionCommands(cli),
      metrics(cli),
      open(cli),
    ],
    'Databases and buckets:': [databaseCommands(cli), logicalDatabaseCommands(cli), storeCommands(cli)],
    'Projects:': [projectCommands(cli), ...projectPartCommands(cli), templateCommands(cli), complianceCommands(cli)],
    'Cluster:': [nodeCommands(cli), usage(cli), runCommands(cli), cloudCommands(cli), settingCommands(cli)],
    'Sign-in:': [login(cli), logout(cli), whoami(cli), tokenCommands(cli), userCommands(cli), configCommands(cli)],
    'Other:': [mcp(cli), api(cli), openapi(cli), version(cli), completion(cli), man(cli)],
  }
  for (const [heading, commands] of Object.entries(groups)) {
    for (const command of commands) program.addCommand(command.helpGroup(heading))
  }
  program.helpCommand(false).addCommand(help(program).helpGroup('Other:'))
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
