/** The last lines of a start: the address of svc, the users that may sign in, and the next steps. */
import type { GitServer } from '../git/server.ts'
import type { Platform } from '../platform.ts'
import type { Stack } from '../stack.ts'
import type { ClusterKind, StartOptions } from './options.ts'

export interface Started {
  readonly options: StartOptions
  readonly cluster: ClusterKind
  readonly stack: Stack
  readonly platform: Platform
  readonly git: GitServer | undefined
}

function describeSignIn({ platform, options }: Started): string {
  if (platform.firstPassword !== undefined) return `admin, password ${platform.firstPassword} (shown only this once)`
  return `as before (forgotten passwords: npm start -- --reset forgets everything in ${options.dataDir})`
}

const clusterNames: Readonly<Record<ClusterKind, string>> = {
  node: 'a real node on this machine',
  simulated: 'simulated nodes: pods are only played',
  kubeconfig: 'yours',
}

/** Several lines of plain text. */
export function describeStarted(started: Started): string {
  const { platform, stack, cluster, git } = started
  const rows: [string, string | undefined][] = [
    ['svc', platform.url],
    ['sign in', describeSignIn(started)],
    ['cluster', clusterNames[cluster]],
    ['ingress', stack.node && (stack.node.ingress() ?? 'is made in the background; services get their addresses then')],
    ['kubeconfig', stack.kubeconfig],
    ['git', git?.cloneCommand],
    ['Temporal', stack.temporalUiAddress ?? stack.temporalAddress],
  ]
  const lines = rows
    .filter((row): row is [string, string] => row[1] !== undefined)
    .map(([name, value]) => `  ${name.padEnd(12)}${value}`)
  const next = [
    `npx svc login --url ${platform.url} --username admin`,
    'npx svc projects create first',
    'npx svc apps create web --project first --image svc/hello:1 --deploy --wait',
  ]
  return [
    '',
    ...lines,
    '',
    'Next:',
    ...next.map((command) => `  ${command}`),
    '',
    'Ctrl-C stops everything; the next start brings it back.',
  ].join('\n')
}
