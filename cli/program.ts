/** The whole command tree of `svc`, with the flags that every command takes. */
import { Command } from 'commander'
import { cliVersion } from './session/at-start.ts'
import type { Cli } from './session/session.ts'

/** Width of help without a terminal. */
const plainWidth = 100

type Make = (cli: Cli) => Command

/**
 * The commands of the first level by the heading of the help and by name; each loads its part of the program when it
 * is made, so that a short command does not wait for the others.
 */
const groups: Readonly<Record<string, Readonly<Record<string, () => Promise<Make>>>>> = {
  'Services:': {
    apps,
    deploy: async () => (await import('./apps/deploys.ts')).deploy,
    build: async () => (await import('./apps/build.ts')).build,
    status: async () => (await import('./apps/show.ts')).status,
    logs: async () => (await import('./apps/logs.ts')).logs,
    shell: async () => (await import('./apps/shell.ts')).shell,
    scale: async () => (await import('./apps/scale.ts')).scale,
    rollback: async () => (await import('./apps/deploys.ts')).rollback,
    env: async () => (await import('./env/commands.ts')).envCommands,
    functions: async () => (await import('./functions/commands.ts')).functionCommands,
    metrics: async () => (await import('./metrics/metrics.ts')).metrics,
    open: async () => (await import('./open/open.ts')).open,
  },
  'Databases and buckets:': {
    databases: async () => (await import('./databases/commands.ts')).databaseCommands,
    'logical-databases': async () => (await import('./logical-databases/commands.ts')).logicalDatabaseCommands,
    stores: async () => (await import('./stores/commands.ts')).storeCommands,
  },
  'Projects:': {
    projects: async () => (await import('./projects/commands.ts')).projectCommands,
    environments: async () => (await import('./projects/commands.ts')).projectParts.environments,
    variables: async () => (await import('./projects/commands.ts')).projectParts.variables,
    webhooks: async () => (await import('./projects/commands.ts')).projectParts.webhooks,
    templates: async () => (await import('./platform/commands.ts')).templateCommands,
    compliance: async () => (await import('./compliance/commands.ts')).complianceCommands,
  },
  'Cluster:': {
    nodes: async () => (await import('./nodes/commands.ts')).nodeCommands,
    usage: async () => (await import('./platform/commands.ts')).usage,
    runs: async () => (await import('./runs/commands.ts')).runCommands,
    clouds: async () => (await import('./platform/commands.ts')).cloudCommands,
    settings: async () => (await import('./platform/commands.ts')).settingCommands,
    platform: async () => (await import('./platform/backup.ts')).platformCommands,
  },
  'Sign-in:': {
    login: async () => (await import('./auth/login.ts')).login,
    logout: async () => (await import('./auth/signed-in.ts')).logout,
    whoami: async () => (await import('./auth/signed-in.ts')).whoami,
    tokens: async () => (await import('./platform/commands.ts')).tokenCommands,
    users: async () => (await import('./users/commands.ts')).userCommands,
    config: async () => (await import('./config/commands.ts')).configCommands,
  },
  'Other:': {
    mcp: async () => (await import('./mcp/command.ts')).mcp,
    api: async () => (await import('./platform/api.ts')).api,
    openapi: async () => (await import('./platform/about.ts')).openapi,
    version: async () => (await import('./platform/about.ts')).version,
    completion: async () => (await import('./completion/completion.ts')).completion,
    man: async () => (await import('./man/man-page.ts')).man,
  },
}

async function apps(): Promise<Make> {
  const { appCommands } = await import('./apps/commands.ts')
  const { envCommands } = await import('./env/commands.ts')
  return (cli) => appCommands(cli).addCommand(envCommands(cli))
}

/**
 * The tree; where the first word is the name of a command, that command alone: making all of them takes longer than a
 * short command does. The manual needs them all.
 * @param writeHelp takes help and versions, piece by piece.
 */
export async function createProgram(
  cli: Cli,
  writeHelp: (text: string) => void = cli.terminal.raw,
  firstWord = '',
): Promise<Command> {
  const program = new Command('svc').description('Deploy and run services. A thin client of the HTTP API.')
  addGlobalFlags(program)
  const all = Object.entries(groups).flatMap(([heading, commands]) =>
    Object.entries(commands).map(([name, load]) => ({ heading, name, load })),
  )
  const called = all.filter(({ name }) => name === firstWord && name !== 'man')
  for (const { heading, load } of called.length > 0 ? called : all) {
    const make = await load()
    program.addCommand(make(cli).helpGroup(heading))
  }
  program.helpCommand(false)
  if (called.length === 0) {
    const { help } = await import('./platform/about.ts')
    program.addCommand(help(program).helpGroup('Other:'))
  }
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
      writeErr: (text) => terminal.styledNote(text.replace(/\n$/, '')),
      outputError: () => undefined, // cli/run.ts prints the thrown error, with its exit code
      getOutHelpWidth: () => (terminal.live ? terminal.columns() : plainWidth),
      getErrHelpWidth: () => (terminal.live ? terminal.columns() : plainWidth),
      getOutHasColors: () => terminal.live && terminal.colors.isColorSupported,
      getErrHasColors: () => terminal.live && terminal.colors.isColorSupported,
    })
  for (const child of command.commands) equip(child, cli, writeHelp)
}
