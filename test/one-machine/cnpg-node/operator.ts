/**
 * CloudNativePG itself for a test on a real node: its operator, built from its own module, as the pod of its published
 * manifest, and an image for its instances. No registry has them here: the node's own gets them.
 */
import { execFile } from 'node:child_process'
import { arch } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findCommand } from '../../../one-machine/debian/packages.ts'
import { busyboxEntries, type Image, singleProgram } from '../../../one-machine/images/catalogue.ts'
import { fillRegistry } from '../../../one-machine/images/fill.ts'
import type { LayerEntry } from '../../../one-machine/images/layer.ts'
import { entriesOf, unpackPackages } from '../../../one-machine/images/unpack.ts'
import { kubeconfigPath } from '../../../one-machine/node/certificates.ts'
import { chooseNetwork } from '../../../one-machine/node/network.ts'
import { REGISTRY_PORT } from '../../../one-machine/node/config-files.ts'
import { operatorModule } from '../../harness/cnpg/install.ts'
import { logProgress, testServer } from '../../harness/servers.ts'

const run = promisify(execFile)
const version = '1.25.0'

/** The operator's instances are encrypted among each other: that needs Debian's postgres, which is built with TLS. */
const major = '15'
/** The second one is the same server: a change of it is what a minor version is to the operator. */
export const postgresVersions = [`${major}.1`, `${major}.2`] as const
const programs = `usr/lib/postgresql/${major}/bin`

/** The images of the operator and of what it runs into the node's registry, then the operator as it is published. */
export async function installOperator(nodeDir: string): Promise<void> {
  const busybox = findCommand('busybox')
  if (busybox === undefined) throw new Error('busybox-static is missing')
  const debian = ['libc6', 'tzdata', `postgresql-${major}`, `postgresql-client-${major}`]
  const root = await unpackPackages('cloudnativepg', { debian }, logProgress)
  const { nodeAddress } = await chooseNetwork(nodeDir)
  const push = (images: Image[]) =>
    fillRegistry(`http://${nodeAddress}:${REGISTRY_PORT}`, join(nodeDir, 'images-cnpg.json'), images, logProgress)
  await push(postgresImages(root, busybox))
  const manager = await testServer('cloudnativepg-operator')
  await push([operatorImage(manager)])
  const kubectl = await testServer('kubectl')
  const manifest = join(await operatorModule(), `releases/cnpg-${version}.yaml`)
  const apply = ['apply', '--server-side', '--force-conflicts', '--filename', manifest]
  await run(kubectl, ['--kubeconfig', kubeconfigPath(nodeDir, 'admin'), ...apply])
}

/** As it is published: the operator looks there for the architectures that its instances may have. */
function operatorImage(manager: string): Image {
  const inside = `bin/manager_${arch() === 'x64' ? 'amd64' : arch()}`
  const image = singleProgram('cloudnative-pg/cloudnative-pg', [version], manager, inside, { User: '65532:65532' })
  return { ...image, entries: async () => [...(await image.entries()), { path: 'manager', link: inside }] }
}

/** Of the operator's instances, and the same as the official image, whose tools the Jobs of backups use. */
function postgresImages(root: string, busybox: string): Image[] {
  const image = (repository: string, user: number): Image => ({
    repository,
    tags: [...postgresVersions],
    program: join(root, programs, 'postgres'),
    config: {
      Cmd: ['postgres'],
      Env: [`PATH=/${programs}:/usr/local/bin:/usr/sbin:/usr/bin:/bin`],
      User: `${user}:${user}`,
    },
    entries: async () => [...systemFiles(user), ...(await busyboxEntries(busybox)), ...(await entriesOf(root))],
  })
  return [image('cloudnative-pg/postgresql', 26), image('library/postgres', 999)]
}

/** `initdb` asks for the name of its user. */
const systemFiles = (user: number): LayerEntry[] => [
  { path: 'tmp', folder: true, mode: 0o1777 },
  { path: 'etc', folder: true },
  { path: 'etc/passwd', text: `root:x:0:0:root:/root:/bin/sh\npostgres:x:${user}:${user}:postgres:/tmp:/bin/sh\n` },
  { path: 'etc/group', text: `root:x:0:\npostgres:x:${user}:\n` },
  { path: 'etc/nsswitch.conf', text: 'hosts: files dns\n' },
]
