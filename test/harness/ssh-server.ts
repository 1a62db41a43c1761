/**
 * OpenSSH's own server, on loopback unless said otherwise, which gives the repositories of one folder to the keys it is
 * given.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../one-machine/processes/index.ts'
import { eventually } from '../cluster/eventually.ts'
import { debianPrograms } from './debian-programs.ts'

export interface SshServer {
  /** `ssh://user@host:port`, before the absolute path of a repository. */
  address: string
  /** Replaces the public keys that are let in. */
  allow(...publicKeys: string[]): void
  /** A line of known_hosts with the key that it shows. */
  hostLine(): string
  stop(): Promise<void>
}

/**
 * As root it needs the user `sshd`, which a machine without it gets for this process alone, in a namespace of mounts.
 */
const asRoot = `set -e
cp /etc/passwd "$FOLDER/passwd"
echo 'sshd:*:65533:65534::/:/bin/false' >>"$FOLDER/passwd"
echo 'git:*:0:0::/:/bin/sh' >>"$FOLDER/passwd"
mount --bind "$FOLDER/passwd" /etc/passwd
mkdir -p "$FOLDER/run/sshd"
mount --bind "$FOLDER/run" /run
exec "$SSHD" -D -e -f "$FOLDER/config"
`

/** @param host the address that it listens at */
export async function startSshServer(host = '127.0.0.1'): Promise<SshServer> {
  const programs = await debianPrograms(['openssh-server'], ['sshd'])
  const folder = mkdtempSync(join(tmpdir(), 'svc-sshd-'))
  chmodSync(folder, 0o755)
  const port = await freePort()
  const isRoot = userInfo().uid === 0
  const hostKey = join(folder, 'host')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', hostKey])
  mkdirSync(join(folder, 'keys'), { mode: 0o755 })
  const keys = join(folder, 'keys', 'authorized')
  writeFileSync(keys, '')
  writeFileSync(
    join(folder, 'config'),
    [
      `Port ${port}`,
      `ListenAddress ${host}`,
      `HostKey ${hostKey}`,
      `AuthorizedKeysFile ${keys}`,
      `PidFile ${join(folder, 'pid')}`,
      'StrictModes no',
      'UsePAM no',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      'PermitRootLogin prohibit-password',
      'LogLevel ERROR',
      '',
    ].join('\n'),
  )
  const sshd = programs.path('sshd')
  const env = { ...process.env, ...programs.env, FOLDER: folder, SSHD: sshd }
  const child = isRoot
    ? spawn('unshare', ['-m', 'sh', '-c', asRoot], { env, stdio: ['ignore', 'ignore', 'pipe'] })
    : spawn(sshd, ['-D', '-e', '-f', join(folder, 'config')], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const ended = once(child, 'exit')
  await eventually('sshd listens', () => {
    if (child.exitCode !== null) throw new Error(`sshd ended: ${said}`)
    return isOpen(host, port)
  })
  return {
    address: `ssh://${isRoot ? 'git' : userInfo().username}@${host}:${port}`,
    allow: (...publicKeys) => writeFileSync(keys, publicKeys.map((key) => `${key}\n`).join('')),
    hostLine: () => `[${host}]:${port} ${readFileSync(`${hostKey}.pub`, 'utf8')}`,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function isOpen(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, host)
    const end = (open: boolean) => {
      socket.destroy()
      resolve(open)
    }
    socket.once('connect', () => end(true)).once('error', () => end(false))
  })
}
