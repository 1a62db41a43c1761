/** Starts and stops a real single-node Kubernetes on this machine, in namespaces of its own. */
import { mkdir, realpath, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buildProgram } from '../images/programs.ts'
import type { Target } from '../metrics/scrape.ts'
import { LockHeld, takeLock, type Lock } from '../processes/lock.ts'
import { resolveServers } from '../servers/resolve.ts'
import { applyAddons } from './addons.ts'
import { canHaveNode } from './can-have.ts'
import { gitCertificate, kubeconfigPath, makeCertificates } from './certificates.ts'
import { NODE_PROGRAMS, firstCommands, secondCommands, serviceLines, type NodeServer } from './commands.ts'
import { createEngineImages, type EngineImages } from './engine-images.ts'
import { makeFunctionImages } from './function-images.ts'
import { chooseImageNames, type ImageNames, usualRegistryAnswers } from './image-names.ts'
import { createIngress, type Ingress } from './ingress.ts'
import { pushGuestbook, pushOwnImages, pushSystemImages, shellImageName, tagOf } from './images.ts'
import { chooseNetwork, nodeName, type NodeNetwork } from './network.ts'
import { findCniPlugins, findCommand, installPackages } from '../debian/packages.ts'
import { kubeletTarget } from './targets.ts'
import { createServerless, interceptorOf, type Serverless } from './serverless.ts'
import { logTail, removeLeftovers, startNodeProcess, type NodeProcess } from './process.ts'
import { apiIsReady, dnsAnswers, nodeIsReady, until } from './ready.ts'
import { REGISTRY_PORT, writeSettings } from './config-files.ts'
import { startUsage } from './usage.ts'

const API_WITHIN_MS = 60_000
const NODE_WITHIN_MS = 60_000
const DNS_WITHIN_MS = 90_000

export interface NodeOptions {
  /** All state of the node is in `<dataDir>/node` and `<dataDir>/ingress`, and the next start restores it. */
  dataDir: string
  /** Receives one line per step. */
  progress: (line: string) => void
  /** Called as soon as a stop is possible, long before the node is ready; its argument stops the node. */
  onBegin?: (stop: () => Promise<void>) => void
}

export interface RunningNode {
  /** Path of an administrator's kubeconfig, mode 0600. */
  kubeconfig: string
  /** API server (6443), node ports and the registry; reachable from this machine, as are pods and Services. */
  nodeAddress: string
  /**
   * `address:port` of the node's own registry: plain HTTP, push and pull. Every image name is looked up there first.
   */
  registryAddress: string
  /** This machine's address for pods, also `host.internal` in the cluster's DNS. */
  hostAddress: string
  /** PEM files of the git server of this machine; builds trust the authority. */
  gitCertificate: { authority: string; cert: string; key: string }
  podRange: string
  serviceRange: string
  /** Makes the database servers' images on demand: a start does not wait for them. */
  engineImages: EngineImages
  /** The names by which pods get the images of builds and of the object server. */
  imageNames: ImageNames
  /** Pushes the image of the sample with data into the registry. Rejects with one sentence. */
  pushGuestbook(): Promise<void>
  /** Pushes the images that run functions into the registry; a failure is only reported. */
  makeFunctionImages(report: (line: string) => void): Promise<void>
  /**
   * `http://host:port`; undefined while this machine lacks Traefik: Services are reachable by their addresses
   * nevertheless.
   */
  ingress(): string | undefined
  /**
   * Brings Traefik to this machine, which takes minutes once, starts it and returns its address. Rejects with one
   * sentence.
   */
  makeIngress(report: (line: string) => void): Promise<string>
  /** What counts the use of this node: its kubelet and its ingress. */
  targets: readonly Target[]
  /** The serverless add-on, by which services sleep when idle. */
  serverless: Pick<Serverless, 'wasMade' | 'make'>
  /** `address:port` where requests for services that sleep go. */
  interceptor: string
  pid: number
  /** Resolves with the reason when the node has ended, also without a stop. */
  ended: Promise<string>
  /** Takes at most about 6 s. Without its state the next start begins with an empty cluster. */
  stop(options: { keepState: boolean }): Promise<void>
}

/**
 * Starts the node of a data directory and resolves when it is Ready and its DNS answers. The first start builds images
 * and takes about 15 s (more while servers are made), later ones less. Rejects with one sentence, with everything
 * cleaned up.
 */
export async function startNode({ dataDir, progress, onBegin }: NodeOptions): Promise<RunningNode> {
  const can = canHaveNode()
  if (!can.ok) throw new Error(can.why)
  await mkdir(join(dataDir, 'node'), { recursive: true, mode: 0o700 })
  const nodeDir = await realpath(join(dataDir, 'node'))
  const lock = lockNode(nodeDir)
  try {
    await installPackages(progress)
    await removeLeftovers(nodeDir, nodeName(nodeDir))
    const paths = await resolveServers(NODE_PROGRAMS, { progress })
    const [network, pause, hello] = await Promise.all([
      chooseNetwork(nodeDir),
      buildProgram('pause', progress),
      buildProgram('hello', progress),
    ])
    await prepare(nodeDir, network, paths)
    const registry = `http://${network.nodeAddress}:${REGISTRY_PORT}`
    // Asked while the node starts: without a network an answer may take seconds.
    const places = { nodeDir, registry, usualRegistry: usualRegistryAnswers() }
    const beginning = startNodeProcess(nodeDir, network)
    onBegin?.(async () => (await beginning).stop())
    const running = await beginning
    let imageNames: ImageNames
    try {
      await bringUp(nodeDir, network, running, { ...paths, pause, hello }, progress)
      imageNames = await chooseImageNames(places)
    } catch (error) {
      await running.stop()
      throw error
    }
    const usage = await startUsage(nodeDir, network).catch((error: Error) => {
      progress(`services do not scale by themselves: ${error.message}`)
      return { stop: async () => undefined }
    })
    const ingress = await createIngress({ dataDir, kubeconfig: kubeconfigPath(nodeDir, 'admin'), progress })
    return describe(nodeDir, network, {
      running,
      ingress,
      usage,
      lock,
      engineImages: createEngineImages(places, progress),
      imageNames,
      serverless: createServerless(nodeDir, network),
      pushGuestbook: () => pushGuestbook(nodeDir, network, progress),
      makeFunctionImages: (report) => makeFunctionImages(nodeDir, registry, report),
    })
  } catch (error) {
    lock.release()
    throw error
  }
}

function lockNode(nodeDir: string): Lock {
  try {
    return takeLock(join(nodeDir, 'lock'))
  } catch (error) {
    if (error instanceof LockHeld)
      throw new Error(`the node in ${nodeDir} is already running (process ${error.owner})`, { cause: error })
    throw error
  }
}

/** Writes certificates, settings and command lines: all input of init.sh. */
async function prepare(nodeDir: string, network: NodeNetwork, paths: Record<NodeServer, string>): Promise<void> {
  const [runc, cniPlugins] = [findCommand('runc'), findCniPlugins()]
  if (runc === undefined || cniPlugins === undefined)
    throw new Error('runc or the CNI plugins are not where their packages put them')
  for (const folder of ['etc', 'volumes', 'registry']) await mkdir(join(nodeDir, folder), { recursive: true })
  await makeCertificates(nodeDir, network)
  await writeSettings(nodeDir, network, { runc, cniPlugins, shim: paths['containerd-shim-runc-v2'] })
  await writeFile(join(nodeDir, 'etc/first'), serviceLines(firstCommands(nodeDir, network, paths)))
  await writeFile(join(nodeDir, 'etc/second'), serviceLines(secondCommands(nodeDir, network, paths)))
}

type Programs = Record<'coredns' | 'local-path-provisioner' | 'pause' | 'hello', string>

/** A pod without its image would wait for a back-off of 10 s, so the system's images come before the kubelet. */
async function bringUp(
  nodeDir: string,
  network: NodeNetwork,
  running: NodeProcess,
  programs: Programs,
  progress: (line: string) => void,
): Promise<void> {
  const since = Math.floor(Date.now() / 1000) * 1000 // heartbeats have whole seconds
  const kubeconfig = kubeconfigPath(nodeDir, 'admin')
  const alive = running.ended.then(async (reason): Promise<never> => {
    throw new Error(
      `the node ended (${reason}); the end of ${nodeDir}/log/init.log:\n${await logTail(nodeDir, 'init')}`,
    )
  })
  alive.catch(() => undefined) // the races below report it; afterwards `ended` does
  const images = pushSystemImages(nodeDir, network, programs, progress)
  const api = until(
    () => apiIsReady(nodeDir, network),
    API_WITHIN_MS,
    `the API server did not answer (see ${nodeDir}/log/kube-apiserver.log)`,
  )
  await Promise.race([Promise.all([api, images]), alive])
  running.apiAnswers()
  const ready = async (): Promise<void> => {
    await applyAddons(kubeconfig, 'addons.yaml', await addonValues(nodeDir, network))
    await nodeIsReady(kubeconfig, since, NODE_WITHIN_MS)
    await dnsAnswers(network, DNS_WITHIN_MS)
  }
  await Promise.race([Promise.all([ready(), pushOwnImages(nodeDir, network, programs, progress)]), alive])
}

async function addonValues(nodeDir: string, network: NodeNetwork): Promise<Record<string, string>> {
  const wayOut = findCommand('slirp4netns') !== undefined
  return {
    HOST_ADDRESS: network.hostAddress,
    DNS_ADDRESS: network.dnsAddress,
    COREDNS_TAG: tagOf('coredns'),
    LOCAL_PATH_TAG: tagOf('local-path-provisioner'),
    SHELL_IMAGE: await shellImageName(),
    VOLUMES: join(nodeDir, 'volumes'),
    FORWARD: wayOut ? `forward . ${network.egressDns}` : '# no way out of this node: slirp4netns is not installed',
  }
}

interface Parts extends Pick<RunningNode, 'engineImages' | 'imageNames' | 'pushGuestbook' | 'makeFunctionImages'> {
  running: NodeProcess
  ingress: Ingress
  usage: { stop(): Promise<void> }
  serverless: Serverless
  lock: Lock
}

function describe(
  nodeDir: string,
  network: NodeNetwork,
  {
    running,
    ingress,
    usage,
    serverless,
    lock,
    engineImages,
    imageNames,
    pushGuestbook: pushSample,
    makeFunctionImages: makeRunners,
  }: Parts,
): RunningNode {
  return {
    kubeconfig: kubeconfigPath(nodeDir, 'admin'),
    nodeAddress: network.nodeAddress,
    registryAddress: `${network.nodeAddress}:${REGISTRY_PORT}`,
    hostAddress: network.hostAddress,
    gitCertificate: gitCertificate(nodeDir),
    podRange: network.podRange,
    serviceRange: network.serviceRange,
    engineImages,
    imageNames,
    pushGuestbook: pushSample,
    makeFunctionImages: makeRunners,
    ingress: () => ingress.address(),
    targets: [kubeletTarget(nodeDir, network), ingress.target],
    serverless,
    interceptor: interceptorOf(network),
    makeIngress: (report) => ingress.make(report),
    pid: running.pid,
    ended: running.ended,
    stop: async ({ keepState }) => {
      await ingress.stop()
      await usage.stop()
      await serverless.stop()
      await running.stop()
      lock.release()
      if (!keepState) await rm(nodeDir, { recursive: true, force: true })
    },
  }
}
