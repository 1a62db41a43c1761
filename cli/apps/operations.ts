/** The commands of a service that are one operation each. */
import { functionModes, runtimes } from '../../contract/fields/words.ts'
import type { OperationOption, OperationRow } from '../operations/operation-command.ts'
import type { Client } from '../../client/client.ts'
import type { View } from '../../contract/operations.ts'
import type { Session } from '../session/session.ts'
import { detailText, timeText } from '../output/value-text.ts'
import { actAndFollow, waitFlag } from '../wait/follow-deploy.ts'
import { deployFlag, waitForChangeFlag } from '../wait/deploy-change.ts'

const app = ['<app>', 'name of the service', 'app'] as const
const quantity = (flag: string, words: string): OperationOption => ({ flags: `--${flag} <quantity>`, words })
const count = (flag: string, words: string): OperationOption => ({ flags: `--${flag} <count>`, words, kind: 'number' })
const text = (flag: string, words: string): OperationOption => ({ flags: `--${flag} <text>`, words })
const toggle = (flag: string, words: string): OperationOption => ({
  flags: `--${flag} <on|off>`,
  words,
  kind: 'switch',
})
type Fields = Readonly<Record<string, unknown>>

const list = (flag: string, words: string): OperationOption => ({ flags: `--${flag} <values...>`, words })

const probe = (name: 'readiness' | 'liveness'): OperationOption[] => [
  text(`${name}-path`, `path of the ${name} probe; empty for none`),
  count(`${name}-port`, `port of the ${name} probe`),
  count(`${name}-period`, `seconds between two ${name} probes`),
  count(`${name}-timeout`, `seconds until a ${name} probe has failed`),
  count(`${name}-failure-threshold`, `failed ${name} probes in a row that count`),
]

/** Every setting of the service (docs/reference/services.md#fields). */
const settings: readonly OperationOption[] = [
  text('image', 'container image to run'),
  text('repository', 'git repository to build'),
  text('branch', 'branch to build'),
  text('dockerfile', 'Dockerfile inside the repository'),
  { ...text('build-context', 'build folder inside the repository'), field: 'context' },
  { ...toggle('wait-for-ci', 'build only after the checks of the commit'), field: 'waitForCI' },
  list('watch-patterns', 'paths whose changes deploy it'),
  toggle('build-cache', 'keep what is built for the next build'),
  list('build-variables', 'names of variables that its builds get; plain ones may end in the image'),
  { ...text('runtime', 'runtime of the function'), field: 'functionRuntime', choices: runtimes },
  { ...text('mode', 'what calls the function'), field: 'functionMode', choices: functionModes },
  { flags: '--code <file>', words: 'code of the function', field: 'functionCode', kind: 'file' },
  count('port', 'port the service listens on'),
  quantity('cpu', 'CPU of a copy, such as 250m'),
  quantity('memory', 'memory of a copy, such as 512Mi'),
  count('replicas', 'number of copies'),
  toggle('autoscaling', 'scale by CPU'),
  count('min-replicas', 'fewest copies while scaling by CPU'),
  count('max-replicas', 'most copies while scaling by CPU'),
  { ...count('target-cpu', 'CPU to aim at, in percent of the request'), field: 'targetCPU' },
  toggle('scale-to-zero', 'sleep when idle'),
  count('idle-seconds', 'seconds without a request until it sleeps'),
  count('scale-to-zero-max', 'most copies while it is awake'),
  text('volume-path', 'path of its volume in the container; empty takes it away and keeps the data'),
  quantity('volume-size', 'size of its volume, such as 10Gi; it never shrinks'),
  text('host', 'public host name; empty for none'),
  toggle('tls', 'serve the host with a certificate'),
  toggle('dns-verification', 'saved; svc does not act on it'),
  toggle('metrics', 'saved; svc does not act on it'),
  list('command', 'command instead of the one of the image'),
  list('args', 'arguments of the command'),
  text('working-dir', 'working directory'),
  toggle('rollback-on-failure', 'deploy the last good release again when a deploy fails'),
  ...probe('readiness'),
  ...probe('liveness'),
  list('run-on-tags', 'tags of the nodes it may run on'),
  toggle('run-as-root', 'let the image run as root; for admins'),
]

/** What became of changed settings: deployed, in effect, or waiting (docs/reference/services.md#pending-changes). */
function savedText({ deployed, pending, detail }: Fields, params: Fields): string {
  const name = String(params['app'])
  if (deployed === true) return `Saved; the deploy of ${name} was accepted`
  if (!Array.isArray(pending) || pending.length === 0) return 'Saved; nothing waits for a deploy'
  return `Saved. ${typeof detail === 'string' ? detail : ''} Deploy with \`svc deploy ${name}\``
}

/** How a container ended before it was started again: `OOMKilled (exit code 137), 2026-11-21 13:05:09Z`. */
function endText(end: unknown): string {
  if (end === undefined) return ''
  const { reason, exitCode, at } = end as NonNullable<View<'apps.copies'>['items'][number]['lastEnd']>
  const how = exitCode === undefined ? reason : `${reason} (exit code ${exitCode})`
  return at === undefined ? how : `${how}, ${timeText(at)}`
}

/** Names that no variable of the service's environment has: they are saved, and count once there is one. */
async function unknownShared(
  { signal }: Session,
  client: Client,
  { app: name, sharedVariable = [] }: Fields,
): Promise<string | undefined> {
  const names = sharedVariable as readonly string[]
  if (names.length === 0) return undefined
  const { resource } = await client.call('apps.get', { app: String(name) }, { signal })
  const { spec } = await client.call('projects.get', { project: resource.project }, { signal })
  const { sharedVariables = [] } = spec as { sharedVariables?: readonly { name: string; environment?: string }[] }
  const there = sharedVariables.filter(({ environment = '' }) => ['', resource.environment].includes(environment))
  const unknown = names.filter((each) => !there.some((it) => it.name === each))
  const place = `environment ${resource.environment} has no shared variable`
  return unknown.length === 0 ? undefined : `${place} ${unknown.join(', ')} yet`
}

export const appRows: readonly OperationRow[] = [
  {
    name: 'set',
    id: 'apps.update',
    description: 'change settings of a service; live ones apply at once, the others with the next deploy',
    args: [app],
    options: [...settings, { flags: deployFlag[0], words: deployFlag[1] }],
    needsOption: true,
    done: savedText,
    wait: [
      waitForChangeFlag[1],
      async (session, client, { params, flags, act }) =>
        await actAndFollow(
          session,
          client,
          String(params['app']),
          flags,
          async () => void (await act({ deploy: true })),
        ),
    ],
  },
  {
    name: 'rename',
    id: 'apps.display-name',
    description: 'set the label of a service',
    args: [app, ['<label>', 'label; an empty text for none', 'displayName']],
    done: 'Saved',
  },
  {
    name: 'retry',
    id: 'apps.retry-provision',
    description: 'run a failed deploy of a service again',
    args: [app],
    done: 'The deploy was accepted',
    wait: [
      waitFlag[1],
      async (session, client, { params, flags, act }) =>
        await actAndFollow(session, client, String(params['app']), flags, async () => void (await act()), {
          leavesPending: true,
        }),
    ],
  },
  {
    name: 'pending',
    id: 'apps.pending',
    description: 'show what is saved of a service and not deployed',
    args: [app],
    list: 'changes',
    columns: ['field', 'before', 'after'],
  },
  {
    name: 'discard',
    id: 'apps.discard',
    description: 'drop what is saved of a service and not deployed',
    args: [app],
    done: ({ detail }) => `Discarded. ${detailText(detail)}`.trimEnd(),
  },
  {
    name: 'pods',
    id: 'apps.runtime',
    description: 'list the pods of a service',
    args: [app],
    list: 'pods',
    columns: ['name', 'phase', 'container'],
  },
  {
    name: 'copies',
    id: 'apps.copies',
    description: 'list the copies of a service, with how often and why they were started again',
    args: [app],
    columns: ['name', 'phase', 'ready', 'restarts', 'lastEnd', 'message'],
    texts: { lastEnd: endText },
  },
  {
    name: 'builds',
    id: 'apps.builds',
    description: 'list the builds of a service, with what asked for each, its size and what it took from the cache',
    args: [app],
    columns: ['name', 'phase', 'trigger', 'commit', 'imageBytes', 'steps', 'cachedSteps', 'startedAt', 'message'],
  },
  {
    name: 'compare',
    id: 'apps.deployment-changes',
    description: 'show what a deployment differs in from what runs, or from another deployment',
    args: [app, ['<deployment>', 'id of the deployment', 'id']],
    options: [{ flags: '--from <deployment>', words: 'id of the deployment to compare it with' }],
    list: 'changes',
    columns: ['field', 'before', 'after', 'goesBack'],
  },
  {
    name: 'clear-host',
    id: 'apps.networking-delete',
    description: 'take away the host and TLS of a service',
    args: [app],
    deletes: ['host of the service', 'app'],
    done: 'Saved',
  },
  {
    name: 'share-variables',
    id: 'apps.shared-variables-save',
    description: 'choose the shared variables that a service gets; none for all of its environment',
    args: [app, ['[names...]', 'names of shared variables', 'sharedVariable']],
    done: savedText,
    remark: unknownShared,
  },
]
