/**
 * The disks of the virtual machine: Debian with its own kernel, kept in the cache, and this project with its
 * dependencies, made for each run.
 */
import { execFile, execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { locateCache } from '../../one-machine/servers/cache.ts'

const run = promisify(execFile)
const project = join(import.meta.dirname, '../..')
const release = 'bookworm'
const diskBytes = 8 * 1024 ** 3

const packages = [
  ...[
    'linux-image-amd64',
    'initramfs-tools',
    'systemd-sysv',
    'dbus',
    'libpam-systemd',
    'udev',
    'kmod',
    'netbase',
    'ca-certificates',
    'util-linux',
    'bsdutils',
  ],
  // The packages that the real node needs, since the machine reaches no archive.
  ...[
    'runc',
    'containernetworking-plugins',
    'nftables',
    'iptables',
    'iproute2',
    'openssl',
    'procps',
    'slirp4netns',
    'busybox-static',
  ],
]

/** Written into Debian; the tests themselves are on the other disk. */
const files: Record<string, string> = {
  'etc/hostname': 'svc-vm\n',
  'etc/resolv.conf': 'nameserver 10.0.2.3\n', // of QEMU's network
  'etc/fstab': 'LABEL=debian / ext4 defaults 0 1\nLABEL=payload /payload ext4 defaults 0 0\n',
  'etc/systemd/network/20-wired.network': '[Match]\nName=en*\n[Network]\nDHCP=yes\n',
  'etc/systemd/system/svc-vm.service': `[Unit]
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/bin/bash /payload/svc/test/vm/inside.sh
StandardOutput=tty
StandardError=inherit
TTYPath=/dev/ttyS1
`,
}
const units = { 'svc-vm.service': '/etc/systemd/system', 'systemd-networkd.service': '/lib/systemd/system' }

export interface Debian {
  /** The disk; `vmlinuz` and `initrd.img` lie beside it. */
  readonly disk: string
  readonly folder: string
}

/** Makes a disk with the contents of `folder`; it takes only the space in use. */
async function makeDisk(folder: string, disk: string, label: 'debian' | 'payload'): Promise<void> {
  writeFileSync(disk, '')
  truncateSync(disk, diskBytes)
  await run('mke2fs', ['-q', '-t', 'ext4', '-L', label, '-d', folder, disk])
}

/** The Debian disk in the cache. It appears complete or not at all; changed packages or files make another one. */
export async function makeDebian(log: (line: string) => void): Promise<Debian> {
  const hash = createHash('sha256')
    .update(JSON.stringify([release, packages, files, units]))
    .digest('hex')
    .slice(0, 12)
  const folder = join(locateCache(process.env), 'vm', `${release}-${hash}`)
  const disk = join(folder, 'root.img')
  if (existsSync(folder)) return { disk, folder }
  log(`making a disk with Debian ${release}, once`)
  mkdirSync(dirname(folder), { recursive: true })
  const draft = mkdtempSync(join(dirname(folder), 'making-'))
  try {
    const root = join(draft, 'root')
    await run('mmdebstrap', [
      '--quiet',
      '--mode=root',
      '--variant=minbase',
      `--include=${packages.join(',')}`,
      release,
      root,
    ])
    for (const [path, text] of Object.entries(files)) {
      rmSync(join(root, path), { force: true })
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    }
    const wanted = join(root, 'etc/systemd/system/multi-user.target.wants')
    mkdirSync(wanted, { recursive: true })
    for (const [unit, from] of Object.entries(units)) symlinkSync(join(from, unit), join(wanted, unit))
    mkdirSync(join(root, 'payload'))
    const whole = join(draft, 'whole')
    mkdirSync(whole)
    for (const name of ['vmlinuz', 'initrd.img'])
      cpSync(globSync(join(root, 'boot', `${name}-*`))[0] ?? '', join(whole, name))
    await makeDisk(root, join(whole, 'root.img'), 'debian')
    renameSync(whole, folder)
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return { disk, folder }
}

/** A disk with the current state of this project, its packages, npm, and the cached servers and programs. */
export async function makePayload(folder: string): Promise<string> {
  const inside = join(folder, 'payload')
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: project,
    encoding: 'utf8',
  })
  const asLinks = { recursive: true, verbatimSymlinks: true } // of the chart, to folders
  for (const file of listed.split('\0'))
    if (file !== '' && existsSync(join(project, file))) cpSync(join(project, file), join(inside, 'svc', file), asLinks)
  const copy = (from: string, to: string): Promise<unknown> => run('cp', ['-a', from, join(inside, to)])
  await copy(join(project, 'node_modules'), 'svc/node_modules')
  mkdirSync(join(inside, 'cache/svc'), { recursive: true })
  for (const part of ['servers', 'programs', 'images']) {
    const from = join(locateCache(process.env), part)
    if (existsSync(from)) await copy(from, 'cache/svc')
  }
  mkdirSync(join(inside, 'bin'))
  await copy(npmFolder(), 'npm')
  writeFileSync(join(inside, 'bin/npm'), '#!/bin/sh\nexec node /payload/npm/bin/npm-cli.js "$@"\n', { mode: 0o755 })
  symlinkSync('../svc/node_modules/node/bin/node', join(inside, 'bin/node'))
  const disk = join(folder, 'payload.img')
  await makeDisk(inside, disk, 'payload')
  rmSync(inside, { recursive: true, force: true })
  return disk
}

/** The folder of the npm that started this process, from the environment. */
function npmFolder(): string {
  const command = process.env['npm_execpath']
  if (command === undefined || !existsSync(command)) throw new Error('start this by npm: npm run test:vm')
  const folder = dirname(dirname(command))
  JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return folder
}
