/**
 * The image that builds run in, for a node that reaches no registry: git and a rootless BuildKit, out of packages and
 * programs of this machine.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { busyboxEntries, type Image, partsOfName } from './catalogue.ts'
import type { LayerEntry } from './layer.ts'
import { entriesOf, unpackPackages } from './unpack.ts'

/** The image that is made here, by its name in the node's own registry. */
export const builderImageName = 'moby/buildkit:v0.34.2-rootless'

const dockerfile = join(import.meta.dirname, '../../deploy/builder.Dockerfile')

/** The publisher's image with its digest, as clusters begin theirs with it. */
export function publishedBuilderImage(): string {
  const name = /^ARG BUILDKIT_IMAGE=(\S+@sha256:[0-9a-f]{64})$/m.exec(readFileSync(dockerfile, 'utf8'))?.[1]
  if (name === undefined) throw new Error(`${dockerfile} names no image of BuildKit with a digest`)
  return name
}

export interface BuilderPrograms {
  /** A static BusyBox: the shell and the commands of the scripts. */
  busybox: string
  buildctl: string
  buildkitd: string
  rootlesskit: string
}

const packages = { debian: ['runc', 'git', 'uidmap', 'openssh-client'] }
/** Copied into the image, so that steps of a build trust whom this machine trusts. */
const certificates = '/etc/ssl/certs/ca-certificates.crt'
/** Bits of CAP_SETUID and CAP_SETGID: as setuid programs these two cannot write the maps of a user namespace. */
const capabilities = { 'usr/bin/newuidmap': 1 << 7, 'usr/bin/newgidmap': 1 << 6 } as const

/** Fetches the contents of the image, the second time from the cache. Throws one sentence. */
export async function builderImage(
  { busybox, buildctl, buildkitd, rootlesskit }: BuilderPrograms,
  progress: (line: string) => void,
): Promise<Image> {
  const root = await unpackPackages('builder', packages, progress)
  const { repository, tag } = partsOfName(builderImageName)
  const programs = Object.entries({ buildctl, buildkitd, rootlesskit }).map(([command, program]) => ({
    path: `usr/bin/${command}`,
    program,
  }))
  const own = new Set(Object.keys(capabilities))
  const mapping = Object.entries(capabilities).map(([path, bits]) => ({
    path,
    program: join(root, path),
    capabilities: bits,
  }))
  return {
    repository,
    tags: [tag],
    program: buildkitd,
    config: { Cmd: ['sh'], Env: ['PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'], User: '1000:1000' },
    entries: async () => {
      const unpacked = (await entriesOf(root)).filter(({ path }) => !own.has(path))
      const taken = new Set(unpacked.map(({ path }) => path))
      const shell = (await busyboxEntries(busybox)).filter(({ path }) => !taken.has(path))
      return [...systemFiles(), ...unpacked, ...shell, ...programs, ...mapping]
    },
  }
}

function systemFiles(): LayerEntry[] {
  return [
    { path: 'tmp', folder: true, mode: 0o1777 },
    { path: 'etc', folder: true },
    { path: 'etc/passwd', text: 'root:x:0:0:root:/root:/bin/sh\nbuild:x:1000:1000:build:/work/home:/bin/sh\n' },
    { path: 'etc/group', text: 'root:x:0:\nbuild:x:1000:\n' },
    { path: 'etc/subuid', text: 'build:100000:65536\n' },
    { path: 'etc/subgid', text: 'build:100000:65536\n' },
    { path: 'etc/nsswitch.conf', text: 'hosts: files dns\n' },
    ...(existsSync(certificates)
      ? ([
          { path: 'etc/ssl', folder: true },
          { path: 'etc/ssl/certs', folder: true },
          { path: certificates.slice(1), program: certificates },
        ] as const)
      : []),
  ]
}
