/** What a node may change on the machine, for a comparison before and after it. */
import { execFileSync } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Only names and links, since counters change by themselves, and nothing of other nodes; `own` is the name of this one.
 */
export function tracesOf(own: string): Record<string, string[]> {
  const inside = (folder: string): string[] => readdirSync(folder).map((name) => join(folder, name))
  const lines = (command: string, ...args: string[]): string[] =>
    execFileSync(command, args, { encoding: 'utf8' }).trim().split('\n')
  const seen = {
    mounts: readFileSync('/proc/self/mounts', 'utf8').trim().split('\n'),
    links: readdirSync('/sys/class/net'),
    routes: lines('ip', 'route', 'show', 'table', 'all'),
    rules: lines('nft', 'list', 'tables'),
    // Without those of the machine's own services, which come and go.
    cgroups: foldersIn('/sys/fs/cgroup').flatMap((one) => [one, ...(one.endsWith('.slice') ? [] : foldersIn(one))]),
    folders: ['/var/lib', '/var/log', '/opt', '/run', '/etc'].flatMap(inside),
    forwarding: [readFileSync('/proc/sys/net/ipv4/ip_forward', 'utf8')],
  }
  // systemd mounts binfmt_misc when its folder is looked into.
  const ofOthers = (line: string): boolean =>
    line.includes('binfmt_misc') || (/svc-[0-9a-f]{6}/.test(line) && !line.includes(own))
  return Object.fromEntries(
    Object.entries(seen).map(([what, all]) => [what, all.filter((line) => !ofOthers(line)).sort()]),
  )
}

/** Only folders: with cgroup v2 a delegated controller adds files to all of them. */
function foldersIn(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true })
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(folder, name))
}
