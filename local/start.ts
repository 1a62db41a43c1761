/** `npm start`: svc on one machine, from nothing to an address to open; Ctrl-C stops it all in order. */
import { chooseCluster, type ChosenCluster } from './choose-cluster.ts'
import { buildCommandLine } from './command-line.ts'
import { askToInstall, wantsSample } from './consent.ts'
import { openDataDir, type DataDir } from './data-dir.ts'
import { deployDemo } from './demo.ts'
import { describeStarted } from './describe-started.ts'
import { startPlatform, type Platform } from './platform.ts'
import { findPortOwner, isPortFree } from './ports.ts'
import { createProgress, type Progress } from './progress.ts'
import { startStack, type Stack, type StackPart } from './stack.ts'
import { readStartOptions, startHelp, type StartOptions } from './start-options.ts'
import { createStops, type Stops } from './stops.ts'
import { withCluster } from './with-cluster.ts'

async function checkPort(port: number): Promise<void> {
  if (await isPortFree(port)) return
  const owner = findPortOwner(port)
  throw new Error(`port ${port} is used by ${owner ?? 'another program'}; stop it, or choose another port with --port`)
}

/** The servers are looked for first; then cluster and Temporal start side by side. */
async function startServers(options: StartOptions, { kind }: ChosenCluster, progress: Progress, stops: Stops): Promise<Stack> {
  const steps = new Map([['servers' as StackPart, progress.begin('servers')]])
  return startStack({
    cluster: kind,
    dataDir: options.dataDir,
    ...(options.temporal === undefined ? {} : { temporal: options.temporal }),
    keepAlive: true,
    headless: false,
    progress: (line, part) => steps.get(part)?.tell(line),
    onResolved() {
      steps.get('servers')?.done('on this machine')
      for (const part of ['cluster', 'Temporal'] as const) steps.set(part, progress.begin(part))
    },
    onStarted(part, stop) {
      stops.add(stop)
      steps.get(part)?.done('runs')
    },
  })
}

async function startSvc(options: StartOptions, stack: Stack, progress: Progress, stops: Stops): Promise<Platform> {
  const step = progress.begin('api and worker')
  const commandLine = buildCommandLine().catch(() => progress.say('svc: the command npx svc could not be built; node cli/bundle.ts says why'))
  const platform = await startPlatform({
    stack,
    dataDir: options.dataDir,
    port: options.port,
    env: process.env,
    onEnd: (line) => progress.say(`svc: ${line}`),
    progress: (line) => step.tell(line),
  })
  stops.add(platform.stop)
  await commandLine
  step.done('serve')
  return platform
}

/** A sample that fails is told; svc itself runs all the same. */
async function startDemo({ kind }: ChosenCluster, stack: Stack, { url, firstPassword: password }: Platform, progress: Progress): Promise<void> {
  if (kind === 'kubeconfig') return progress.say("svc: no sample: its image is in the registry of svc's own clusters only")
  const step = progress.begin('sample')
  try {
    step.done(await withCluster(stack.kubeconfig, (cluster) => deployDemo({ url, password, answers: kind === 'node', cluster })))
  } catch (error) {
    step.done(error instanceof Error ? error.message : String(error))
  }
}

/** Everything up to the address; each step that runs is handed to `stops`. */
async function start(options: StartOptions, dataDir: DataDir, progress: Progress, stops: Stops): Promise<void> {
  if (options.reset) {
    await dataDir.reset()
    progress.say(`forgot everything in ${options.dataDir}`)
  }
  await checkPort(options.port)
  const chosen = await chooseCluster(options.cluster, dataDir.recall().cluster)
  if (chosen.note !== undefined) progress.say(chosen.note)
  if (chosen.kind === 'kubeconfig') await askToInstall(options.yes)
  dataDir.note({ cluster: chosen.kind, port: options.port })
  const stack = await startServers(options, chosen, progress, stops)
  const platform = await startSvc(options, stack, progress, stops)
  const firstStart = platform.firstPassword !== undefined && chosen.kind !== 'kubeconfig'
  if (options.demo || (firstStart && (await wantsSample()))) await startDemo(chosen, stack, platform, progress)
  void stack.node?.ended.then((reason) => {
    if (!stops.isStopping()) progress.say(`svc: the node ended (${reason}); stop with Ctrl-C and start again`)
  })
  void stack.node?.engineImages.makeWhereNeeded((line) => {
    if (!stops.isStopping()) progress.say(`svc: ${line}`)
  })
  progress.say(describeStarted({ options, cluster: chosen.kind, stack, platform }))
}

async function main(): Promise<void> {
  const options = readStartOptions(process.argv.slice(2), process.env)
  if (options === 'help') return void process.stdout.write(startHelp)
  const progress = createProgress(process.stdout, Date.now)
  const dataDir = openDataDir(options.dataDir)
  const stops = createStops((line) => progress.say(line))
  stops.add(async () => dataDir.release())
  stops.onSignals(() => progress.close())
  try {
    await start(options, dataDir, progress, stops)
  } catch (error) {
    progress.close()
    await stops.stopAll()
    throw error
  }
}

try {
  await main()
} catch (error) {
  process.stderr.write(`svc: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
