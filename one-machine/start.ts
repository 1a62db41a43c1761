/** `npm start`: svc on one machine, from nothing to an address to open; Ctrl-C stops it all in order. */
import { join } from 'node:path'
import { chooseCluster, type ChosenCluster } from './start/choose-cluster.ts'
import { buildCommandLine, buildDashboard } from './start/command-line.ts'
import { askToInstall, wantsSample } from './start/consent.ts'
import { openDataDir, type DataDir } from './start/data-dir.ts'
import { type Demo, deployDemo } from './start/demo.ts'
import { deployGuestbook } from './start/demo-data.ts'
import { deployGitSample } from './start/demo-git.ts'
import { describeStarted } from './start/describe-started.ts'
import { announceFirstStart } from './start/first-start.ts'
import { startGit, wantsGit } from './start/git.ts'
import type { GitServer } from './git/server.ts'
import { startPlatform, type Platform } from './platform.ts'
import { chooseMetricsStore, makeMetricsStore } from './start/metrics.ts'
import { chooseLogStore, logSettings, makeLogStore } from './start/logs.ts'
import type { LogStore } from './logs/store.ts'
import type { MetricsStore } from './metrics/store.ts'
import { imagesOfPackages } from './node/engine-images.ts'
import type { RunningNode } from './node/start.ts'
import { findPortOwner, isPortFree, reservePort } from './processes/ports.ts'
import { createProgress, type Progress } from './start/progress.ts'
import { restartOnEdit } from './start/restart-on-edit.ts'
import { comesWithoutBuild, forgetBuilds } from './servers/resolve.ts'
import { startStack, type Stack, type StackPart } from './stack.ts'
import { readStartOptions, startHelp, type ClusterKind, type StartOptions } from './start/options.ts'
import { createStops, type Stops } from './processes/stops.ts'
import { withCluster } from './cluster.ts'
import { defined } from '../contract/defined.ts'

/** The api listens on it last: until then no server of the stack may get it. */
async function takePort(port: number): Promise<void> {
  if (await isPortFree(port)) return reservePort(port)
  const owner = findPortOwner(port)
  throw new Error(`port ${port} is used by ${owner ?? 'another program'}; stop it, or choose another port with --port`)
}

/** Resolves the servers first; then cluster and Temporal start in parallel. */
async function startServers(
  options: StartOptions,
  { kind }: ChosenCluster,
  progress: Progress,
  stops: Stops,
): Promise<Stack> {
  const steps = new Map([['servers' as StackPart, progress.begin('servers')]])
  return startStack({
    cluster: kind,
    dataDir: options.dataDir,
    ...defined({ temporal: options.temporal }),
    takeOver: options.takeOver,
    keepAlive: true,
    headless: false,
    keepBuilds: kind === 'node', // for the ingress and the images
    progress: (line, part) => steps.get(part)?.report(line),
    onResolved() {
      steps.get('servers')?.done('on this machine')
      for (const part of ['cluster', 'Temporal'] as const) steps.set(part, progress.begin(part))
    },
    onBegin: stops.add,
    onStarted(part, stop) {
      stops.add(stop)
      steps.get(part)?.done('runs')
    },
  })
}

interface Servers {
  readonly cluster: ClusterKind
  readonly stack: Stack
  readonly store: MetricsStore | undefined
  readonly logStore: LogStore | undefined
}

async function startSvc(
  options: StartOptions,
  { cluster, stack, store, logStore }: Servers,
  progress: Progress,
  stops: Stops,
): Promise<Platform> {
  const step = progress.begin('api and worker')
  const commandLine = buildCommandLine().catch(() =>
    progress.say('svc: the command npx svc could not be built; node cli/bundle.ts says why'),
  )
  const pages = progress.begin('dashboard')
  const dashboard = buildDashboard().then(
    () => pages.done('built'),
    () => pages.done('could not be built; node dashboard/build.ts says why'),
  )
  const platform = await startPlatform({
    stack,
    dataDir: options.dataDir,
    port: options.port,
    env: process.env,
    metricsStore: store?.address,
    logs: logSettings(logStore, cluster),
    edited: options.watch,
    onEnd: (line) => progress.say(`svc: ${line}`),
    progress: (line) => step.report(line),
  })
  stops.add(platform.stop)
  await Promise.all([commandLine, dashboard])
  step.done('serve')
  return platform
}

/** Watches for edits from here on; the servers stay up. */
function followEdits({ restart }: Platform, progress: Progress, stops: Stops): void {
  const root = join(import.meta.dirname, '..')
  const stop = restartOnEdit({ root, restart, say: (line) => progress.say(`svc: ${line}`) })
  stops.add(async () => stop())
  progress.say('svc: an edit starts the api or the worker again')
}

/** A failure of the sample is reported; svc itself runs nevertheless. Resolves with the sample's project. */
async function startDemo(
  { kind }: ChosenCluster,
  stack: Stack,
  { url, firstPassword: password }: Platform,
  progress: Progress,
): Promise<Demo | undefined> {
  if (kind === 'kubeconfig') {
    progress.say("svc: no sample: its image is in the registry of svc's own clusters only")
    return undefined
  }
  const step = progress.begin('sample')
  try {
    const { line, demo } = await withCluster(stack.kubeconfig, (cluster) =>
      deployDemo({ url, password, answers: kind === 'node', cluster }),
    )
    step.done(line)
    return demo
  } catch (error) {
    step.done(messageOf(error))
    return undefined
  }
}

/** Makes the ingress where this machine has none yet, which takes minutes once; running services then get addresses. */
async function makeIngress(node: RunningNode, platform: Platform, progress: Progress): Promise<void> {
  if (node.ingress() !== undefined) return
  const step = progress.begin('ingress', 'background')
  try {
    const address = await node.makeIngress((line) => step.report(line))
    await platform.giveAddresses(address)
    step.done(`serves at ${address}; every service has an address now`)
  } catch (error) {
    step.done(`${messageOf(error)}; the next start tries again`)
  }
}

/** Where a former start brought it services may be asleep, so they need it again. */
async function makeServerless(node: RunningNode, isAsked: boolean, progress: Progress): Promise<void> {
  if (!isAsked && !(await node.serverless.wasMade().catch(() => false))) return
  const step = progress.begin('serverless', 'background')
  try {
    await node.serverless.make((line) => step.report(line))
    step.done('services with a host may sleep when idle: npx svc scale NAME --sleep-after 5m')
  } catch (error) {
    step.done(`${messageOf(error)}; the next start tries again`)
  }
}

interface Later {
  readonly serverless: boolean
  readonly demo: Demo | undefined
  readonly git: GitServer | undefined
  readonly platform: Platform
  readonly kubeconfig: string | undefined
  /** Made early: that takes a fraction of the rest. */
  readonly metrics: () => Promise<void>
  readonly logs: () => Promise<void>
  readonly progress: Progress
  readonly say: (line: string) => void
}

/**
 * Work of minutes that the start does not wait for: the ingress, the images of databases and of builds, and the samples
 * that use them. Programs that have to be compiled come after what takes seconds: an ingress that is on this machine or
 * can be downloaded is first, and one that has to be built comes after the samples that it would hold up.
 */
async function makeLater(node: RunningNode, later: Later): Promise<void> {
  const { demo, git, platform, kubeconfig, progress, say, serverless, metrics, logs } = later
  const report = (line: string): void => say(`svc: ${line}`)
  // First where it is on this machine already: services that sleep wait for it.
  await makeServerless(node, serverless, progress)
  await metrics()
  const isQuick = await comesWithoutBuild('traefik')
  if (isQuick) await makeIngress(node, platform, progress)
  await logs()
  if (demo !== undefined) {
    say(
      'svc: a sample with a database and a bucket follows; their images are made first, which takes minutes the first time',
    )
    await withCluster(kubeconfig, (cluster) => deployGuestbook({ demo, node, cluster, report: say })).then(
      report,
      (error: unknown) => report(messageOf(error)),
    )
  }
  await node.engineImages.makeWhereNeeded(report, imagesOfPackages)
  await node.makeFunctionImages(report)
  if (!isQuick) await makeIngress(node, platform, progress)
  if (demo !== undefined && git !== undefined) {
    say('svc: a sample that is built from git follows; the image of builds may take minutes the first time')
    await withCluster(kubeconfig, (cluster) => deployGitSample({ demo, git, node, cluster, report })).then(
      report,
      (error: unknown) => report(messageOf(error)),
    )
  }
  await node.engineImages.makeWhereNeeded(report)
  forgetBuilds()
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Everything up to the printed address; each running step is handed to `stops`. */
async function start(options: StartOptions, dataDir: DataDir, progress: Progress, stops: Stops): Promise<void> {
  if (options.reset) {
    await dataDir.reset()
    progress.say(`forgot everything in ${options.dataDir}`)
  }
  await takePort(options.port)
  const chosen = await chooseCluster(options.cluster, dataDir.recall().cluster)
  if (chosen.note !== undefined) progress.say(chosen.note)
  if (chosen.kind === 'kubeconfig') await askToInstall(options.yes)
  dataDir.note({ cluster: chosen.kind, port: options.port })
  await announceFirstStart(chosen.kind, options, progress.say)
  const choosingLogStore = chooseLogStore({ ...options, cluster: chosen.kind }, process.env)
  choosingLogStore.catch(() => undefined) // it is awaited once the servers run
  const stack = await startServers(options, chosen, progress, stops)
  const store = await chooseMetricsStore(chosen.kind, options.dataDir, process.env)
  if (store !== undefined) stops.add(store.stop)
  const logStore = await choosingLogStore
  if (logStore !== undefined) stops.add(logStore.stop)
  // Before the worker, which goes on with builds of a former start.
  const early = wantsGit(options) ? await startGit(stack.node, options, progress, stops) : undefined
  const platform = await startSvc(options, { cluster: chosen.kind, stack, store, logStore }, progress, stops)
  const firstStart = platform.firstPassword !== undefined && chosen.kind !== 'kubeconfig'
  const demo =
    options.demo || (firstStart && (await wantsSample()))
      ? await startDemo(chosen, stack, platform, progress)
      : undefined
  const git = early ?? (demo === undefined ? undefined : await startGit(stack.node, options, progress, stops))
  void stack.node?.ended.then((reason) => {
    if (!stops.isStopping()) progress.say(`svc: the node ended (${reason}); stop with Ctrl-C and start again`)
  })
  progress.say(describeStarted({ options, cluster: chosen.kind, stack, platform, git }))
  if (options.watch) followEdits(platform, progress, stops)
  const say = (line: string): void => {
    if (!stops.isStopping()) progress.say(line)
  }
  if (options.serverless && stack.node === undefined)
    progress.say("svc: no serverless add-on: it is brought to a node of svc's own only")
  if (demo !== undefined && stack.node === undefined)
    progress.say("svc: no sample from git: services are built on a node of svc's own only")
  if (options.logStore && logStore === undefined)
    progress.say("svc: no log store: it is brought to a node of svc's own only, and where SVC_LOGS_URL names none")
  const counting = [...((stack.node ?? stack.simulated)?.targets ?? []), ...platform.targets]
  const metrics = (): Promise<void> => makeMetricsStore(store, counting, progress, stack.node !== undefined)
  if (stack.node === undefined) void metrics()
  else
    void makeLater(stack.node, {
      serverless: options.serverless,
      demo,
      git,
      platform,
      kubeconfig: stack.kubeconfig,
      metrics,
      logs: () => makeLogStore(logStore, options.logStore, progress),
      progress,
      say,
    })
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
    if (stops.isStopping()) return await stops.stopAll() // a stop was requested, and the awaited process has ended
    progress.close()
    await stops.stopAll()
    throw error
  }
}

try {
  await main()
} catch (error) {
  process.stderr.write(`svc: ${messageOf(error)}\n`)
  process.exit(1)
}
