/** `svc apps create`: creates a draft, or with `--deploy` a service that is deployed at once. */
import { Command, Option } from 'commander'
import type { ParamsInput } from '../../contract/operations.ts'
import { functionModes, runtimes } from '../../contract/fields/words.ts'
import { CliError } from '../session/exit-codes.ts'
import { parseDurationMs, pathText, wholeNumber } from '../session/flags.ts'
import { findPlace } from '../session/place.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'
import type { Terminal } from '../session/terminal.ts'
import { followDeploy, waitFlag } from '../wait/follow-deploy.ts'
import { timeoutFlag, type WaitFlags } from '../wait/follow.ts'
import { defined } from '../../contract/defined.ts'

type Fields = ParamsInput<'apps.create'>

interface CreateFlags
  extends
    WaitFlags,
    Pick<
      Fields,
      | 'image'
      | 'repository'
      | 'branch'
      | 'dockerfile'
      | 'context'
      | 'buildVariables'
      | 'runtime'
      | 'mode'
      | 'port'
      | 'host'
      | 'replicas'
      | 'cpu'
      | 'memory'
      | 'volumePath'
      | 'volumeSize'
      | 'runAsRoot'
    > {
  name?: string
  code?: string
  deploy?: boolean
}

export function create(cli: Cli): Command {
  return new Command('create')
    .description('create a service as a draft; --deploy deploys it at once')
    .argument('[name]', 'name of the service; the service picks one if left out')
    .addOption(new Option('--name <name>', 'the same as the argument').hideHelp())
    .option('--image <image>', 'run this container image')
    .option('--repository <repository>', 'build this git repository (owner/name or an address)')
    .option('--branch <branch>', 'branch to build')
    .option('--dockerfile <path>', 'Dockerfile inside the repository')
    .option('--build-context <path>', 'build folder inside the repository')
    .option('--build-variables <names...>', 'variables of the service that its builds get')
    .addOption(new Option('--runtime <runtime>', 'run a function in this runtime').choices(runtimes))
    .option('--code <file>', "file with the function's code; - reads standard input")
    .addOption(new Option('--mode <mode>', 'what calls the function').choices(functionModes))
    .option('--port <port>', 'port the service listens on (8080)', wholeNumber)
    .option('--host <host>', 'public host name')
    .option('--replicas <count>', 'number of copies', wholeNumber)
    .option('--cpu <quantity>', 'CPU of a copy, such as 250m')
    .option('--memory <quantity>', 'memory of a copy, such as 512Mi')
    .option('--volume-path <path>', 'path in the container of a volume of its own, such as /data')
    .option('--volume-size <quantity>', 'size of that volume (10Gi)')
    .option('--run-as-root', 'let the image run as root; for admins')
    .option('--deploy', 'deploy at once instead of saving a draft')
    .option(waitFlag[0], 'with --deploy: wait until it is complete or has failed')
    .option(...timeoutFlag)
    .action(async (name: string | undefined, flags: CreateFlags & { buildContext?: string }, command: Command) => {
      await run(await openSession(cli, command), name ?? flags.name, flags)
    })
}

async function run(
  session: Session,
  name: string | undefined,
  flags: CreateFlags & { buildContext?: string },
): Promise<void> {
  const { terminal, signal } = session
  const deploys = flags.deploy === true || flags.wait === true
  const timeoutMs = await parseDurationMs('--timeout', flags.timeout)
  const fields = await fieldsOf(terminal, name, flags)
  const client = await clientOf(session)
  const view = await client.call(
    'apps.create',
    { ...(await findPlace(session, client)), ...fields, ...(deploys ? { deploy: true } : {}) },
    { signal },
  )
  if (deploys && view.deployed !== true) {
    // An older server ignores `deploy` and saves a draft (docs/reference/command-line.md#waiting).
    throw new CliError('error', `${view.name} was saved as a draft; the service did not deploy it`)
  }
  if (flags.wait === true) return await followDeploy(session, client, { app: view.name, timeoutMs })
  await answer(session, view, () => {
    terminal.line(
      deploys
        ? `Created ${view.name}; its deploy was accepted`
        : `Created ${view.name} as a draft; deploy it with \`svc deploy ${view.name}\``,
    )
  })
}

/** The source follows from the flags; the api checks everything else. */
async function fieldsOf(
  terminal: Terminal,
  name: string | undefined,
  flags: CreateFlags & { buildContext?: string },
): Promise<Partial<Fields>> {
  const {
    image,
    repository,
    runtime,
    code,
    branch,
    dockerfile,
    buildContext,
    buildVariables,
    mode,
    port,
    host,
    replicas,
    cpu,
    memory,
    volumePath,
    volumeSize,
    runAsRoot,
  } = flags
  const named = [image, repository, runtime].filter((it) => it !== undefined)
  // An empty one is a variable of a script that is not set: its draft could never be deployed.
  if (named.length !== 1 || named[0] === '') {
    throw new CliError('usage', 'say what to run: one of --image, --repository and --runtime')
  }
  const source: 'image' | 'git' | 'function' =
    image !== undefined ? 'image' : repository !== undefined ? 'git' : 'function'
  return defined({
    name,
    source,
    image,
    repository,
    branch,
    dockerfile,
    context: buildContext,
    buildVariables,
    runtime,
    mode,
    port,
    host,
    replicas,
    cpu,
    memory,
    volumePath,
    volumeSize,
    runAsRoot,
    code: code === undefined ? undefined : await pathText(terminal, '--code', code),
  })
}
