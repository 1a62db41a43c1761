/**
 * The images of the node's registry: the system's own before any pod starts, the sample in parallel with the rest of
 * the start.
 */
import { join } from 'node:path'
import {
  busyboxImage,
  guestbookImage,
  helloImages,
  type Image,
  pauseImage,
  singleProgram,
} from '../images/catalogue.ts'
import { fillRegistry } from '../images/fill.ts'
import { buildProgram } from '../images/programs.ts'
import { registryAnswers } from '../images/registry.ts'
import { catalogue } from '../servers/catalogue.ts'
import type { NodeNetwork } from './network.ts'
import { findCommand } from '../debian/packages.ts'
import { until } from './ready.ts'
import { PAUSE_IMAGE, REGISTRY_PORT } from './config-files.ts'

const REGISTRY_WITHIN_MS = 20_000
type Progress = (line: string) => void

/** pause, CoreDNS, the storage provisioner and its busybox. */
export async function pushSystemImages(
  nodeDir: string,
  network: NodeNetwork,
  programs: Record<'pause' | 'coredns' | 'local-path-provisioner', string>,
  progress: Progress,
): Promise<void> {
  const registry = registryUrl(network)
  await until(
    () => registryAnswers(registry),
    REGISTRY_WITHIN_MS,
    `the registry did not answer (see ${nodeDir}/log/registry.log)`,
  )
  const shell = await ownShell()
  const images = [
    pauseImage(programs.pause, PAUSE_IMAGE.split(':')[1] ?? 'latest'),
    singleProgram('coredns/coredns', [tagOf('coredns')], programs.coredns, 'coredns'),
    singleProgram(
      'rancher/local-path-provisioner',
      [tagOf('local-path-provisioner')],
      programs['local-path-provisioner'],
      'usr/bin/local-path-provisioner',
    ),
    ...(shell === undefined ? [] : [shell]),
  ]
  await fillRegistry(registry, join(nodeDir, 'images-system.json'), images, progress)
}

/** What makes the folders of volumes: of this machine's BusyBox where that is static, else the publisher's. */
export async function shellImageName(): Promise<string> {
  if ((await ownShell()) !== undefined) return 'busybox:latest'
  return 'busybox:1.37.0@sha256:9db7b59979c38555a39def84a31fb98b5296952f9e3afd4f6f11f05b07adfab0'
}

async function ownShell(): Promise<Image | undefined> {
  const busybox = findCommand('busybox')
  return busybox === undefined ? undefined : busyboxImage(busybox)
}

/** `svc/hello:1`, `:2` and `:crash`. */
export async function pushOwnImages(
  nodeDir: string,
  network: NodeNetwork,
  programs: Record<'hello', string>,
  progress: Progress,
): Promise<void> {
  await fillRegistry(registryUrl(network), join(nodeDir, 'images-own.json'), helloImages(programs.hello), progress)
}

/** `svc/guestbook:1`: made together with the sample, since its libraries have to be downloaded. */
export async function pushGuestbook(nodeDir: string, network: NodeNetwork, progress: Progress): Promise<void> {
  await fillRegistry(
    registryUrl(network),
    join(nodeDir, 'images-guestbook.json'),
    [guestbookImage(await buildProgram('guestbook', progress))],
    progress,
  )
}

function registryUrl(network: NodeNetwork): string {
  return `http://${network.nodeAddress}:${REGISTRY_PORT}`
}

/** The tag of a server's image in its publisher's form. */
export function tagOf(name: 'coredns' | 'local-path-provisioner' | 'keda-interceptor'): string {
  const server = catalogue[name]
  if (server === undefined) throw new Error(`the server catalogue has no ${name}`)
  return `v${server.version}`
}
