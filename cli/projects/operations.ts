/** The commands of a project that are one operation each; the project is that of -p. */
import { actAndFollowEnvironment } from '../wait/follow-environment.ts'
import type { OperationOption, OperationRow } from '../operations/operation-command.ts'
import { followDelivery } from './follow-delivery.ts'
import { followProjectChange, waitUntilGone, waitUntilSetUp } from './follow-project.ts'
import { noSuchVariable } from './parts.ts'

const logOptions: readonly OperationOption[] = [
  { flags: '--service <app>', words: 'of this service alone' },
  { flags: '--since <duration>', words: 'how far back, such as 10m' },
  { flags: '--search <text>', words: 'only lines with this text', field: 'q' },
]

const logLines = {
  place: 'project, maybe environment',
  list: 'lines',
  columns: ['t', 'service', 'pod', 'line'],
  isLog: true,
} as const

export const projectRows: readonly OperationRow[] = [
  {
    name: 'set',
    id: 'projects.settings-save',
    description: 'change the readable name of a project, or where its workloads run',
    place: 'project',
    options: [
      { flags: '--name <name>', words: 'readable name', field: 'displayName' },
      { flags: '--region <region>', words: 'where its workloads run' },
    ],
    done: 'Saved',
  },
  {
    name: 'deploy',
    id: 'projects.deploy',
    description: 'deploy everything that is saved in the environment',
    place: 'environment',
    wait: [
      'wait until everything it deploys is ready or has failed',
      async (session, client, { params, flags, act }) =>
        await actAndFollowEnvironment(session, client, params as { project: string; environment: string }, flags, act),
    ],
  },
  {
    name: 'pending',
    id: 'projects.pending',
    description: 'show what is saved in the environment and not deployed',
    place: 'project, maybe environment',
    columns: ['kind', 'name', 'state', 'pending'],
    named: 'name',
  },
  {
    name: 'capacity',
    id: 'projects.capacity',
    description: 'show the capacity that a deploy of what is pending needs, beyond what runs',
    place: 'project, maybe environment',
    columns: ['kind', 'name', 'copies', 'cpuMillis', 'memoryBytes', 'refusal'],
    named: 'name',
  },
  {
    name: 'connections',
    id: 'projects.connections',
    description: 'show which services are connected to which databases, buckets and services',
    place: 'project, maybe environment',
    columns: ['app', 'kind', 'name', 'variables'],
    named: 'name',
  },
  {
    name: 'network',
    id: 'projects.network',
    description: 'say who may reach the services of the project within the cluster',
    place: 'project',
    options: [
      {
        flags: '--isolation <isolation>',
        words: 'Project: only itself; None: every project',
        choices: ['Project', 'None'],
        required: true,
      },
      { flags: '--allow <projects...>', words: 'projects that may reach it', field: 'allowFromProjects' },
    ],
    done: 'Saved',
    wait: [
      'wait until it holds on the cluster',
      followProjectChange(() => ({ noun: 'change', goal: 'ready', name: 'the network' })),
    ],
  },
  {
    name: 'logs',
    id: 'projects.logs',
    description: 'show recent log lines of all services',
    options: [{ flags: '--tail <count>', words: 'lines at most', kind: 'number' }, ...logOptions],
    ...logLines,
  },
  {
    name: 'log-history',
    id: 'projects.logs-history',
    description: 'show stored log lines of all services, also of copies that are gone',
    options: [{ flags: '--limit <count>', words: 'lines at most', kind: 'number' }, ...logOptions],
    ...logLines,
  },
  {
    name: 'backup-storage',
    id: 'projects.backup-storage',
    description: 'choose where backups of the project go',
    place: 'project',
    options: [
      { flags: '--connection <name>', words: 'cloud connection, or bucket on the cluster' },
      { flags: '--bucket <bucket>', words: 'bucket' },
      { flags: '--region <region>', words: 'region of the bucket' },
      { flags: '--remove <on|off>', words: 'on: keep no storage any more', kind: 'switch' },
    ],
    done: 'Saved',
  },
  {
    name: 'connect-githost',
    id: 'projects.githost-install',
    description: 'show the page at which an environment is connected to a git host',
    place: 'project, maybe environment',
  },
  {
    name: 'disconnect-githost',
    id: 'projects.githost-disconnect',
    description: 'unlink an environment from its git host',
    place: 'project, maybe environment',
    done: 'Saved',
  },
  {
    name: 'repositories',
    id: 'projects.githost-repos',
    description: 'list the repositories that the project can build from',
    place: 'project',
    columns: ['FullName', 'DefaultBranch', 'Private', 'HTMLURL'],
  },
]

export const environmentRows: readonly OperationRow[] = [
  {
    name: 'create',
    id: 'projects.environments-create',
    description: 'add an environment to the project of -p',
    place: 'project',
    args: [['<name>', 'name of the environment', 'environment']],
    done: 'Created',
    wait: [
      waitUntilSetUp,
      followProjectChange(({ environment }) => ({ noun: 'creation', goal: 'ready', name: String(environment) })),
    ],
  },
  {
    name: 'archive',
    id: 'projects.environments-archive',
    description: 'delete an environment of the project of -p with everything in it',
    place: 'project',
    args: [['<name>', 'name of the environment', 'environment']],
    deletes: ['environment', 'environment'],
    done: 'Deleting it',
    wait: [
      waitUntilGone,
      followProjectChange(({ environment }) => ({ noun: 'removal', goal: 'gone', name: String(environment) })),
    ],
  },
  {
    name: 'pull-requests',
    id: 'projects.pr-environments-save',
    description: 'configure environments of pull requests',
    place: 'project',
    options: [
      { flags: '--enabled <on|off>', words: 'open one for each pull request', kind: 'switch' },
      { flags: '--base <environment>', words: 'environment that they are copies of', field: 'baseEnvironment' },
      { flags: '--max-open <count>', words: 'how many at most', kind: 'number' },
    ],
    done: 'Saved',
  },
  {
    name: 'close-pull-request',
    id: 'projects.pr-environments-close',
    description: 'delete the environments of a pull request',
    place: 'project',
    args: [['<repository>', 'owner/name', 'repository']],
    options: [{ flags: '--number <number>', words: 'number of the pull request', kind: 'number', required: true }],
    wait: [
      waitUntilGone,
      followProjectChange(({ repository, number }) => ({
        noun: 'removal',
        goal: 'gone',
        name: `${String(repository)}#${String(number)}`,
      })),
    ],
  },
  {
    name: 'allow-pull-request',
    id: 'projects.pr-environments-allow',
    description: 'allow a commit of a pull request from a fork to be built',
    place: 'project',
    args: [['<repository>', 'owner/name', 'repository']],
    options: [
      { flags: '--number <number>', words: 'number of the pull request', kind: 'number', required: true },
      { flags: '--commit <hash>', words: 'the commit that was read', required: true },
    ],
    done: 'Allowed',
  },
]

export const variableRows: readonly OperationRow[] = [
  {
    name: 'set',
    id: 'projects.variables-save',
    description: 'set a shared variable of the project of -p, or of the environment of -e',
    place: 'project, maybe environment',
    args: [['<name>', 'name, or NAME=VALUE; with --secret on, NAME=- reads the value from standard input', 'name']],
    assigns: 'value',
    options: [
      { flags: '--value <text>', words: 'plain value' },
      { flags: '--secret-value <file>', words: 'secret value', field: 'value', kind: 'secret' },
      { flags: '--secret <on|off>', words: 'on: never shown again', kind: 'switch' },
    ],
    done: 'Saved',
  },
  {
    name: 'unset',
    id: 'projects.variables-delete',
    description: 'delete a shared variable',
    place: 'project, maybe environment',
    args: [['<name>', 'name of the variable', 'name']],
    done: 'Deleted',
    remark: noSuchVariable,
  },
]

const webhook = ['<webhook>', 'ID of the webhook', 'id'] as const
const webhookAddress = { flags: '--to <address>', words: 'address that gets the events', field: 'url' } as const
const webhookOptions = [
  { flags: '--events <events...>', words: 'events it gets; all of deploys when left out', field: 'event' },
  { flags: '--disabled <on|off>', words: 'on: gets nothing', kind: 'switch' },
] as const

export const webhookRows: readonly OperationRow[] = [
  {
    name: 'add',
    id: 'projects.webhooks-save',
    description: 'add a webhook to the project of -p; its secret is shown once',
    place: 'project',
    options: [{ ...webhookAddress, required: true }, ...webhookOptions],
  },
  {
    name: 'set',
    id: 'projects.webhooks-save',
    description: 'change a webhook',
    place: 'project',
    args: [webhook],
    options: [webhookAddress, ...webhookOptions],
  },
  {
    name: 'rotate',
    id: 'projects.webhooks-rotate',
    description: 'give a webhook another secret, which is shown once',
    place: 'project',
    args: [webhook],
  },
  {
    name: 'test',
    id: 'projects.webhooks-test',
    description: 'send a test event to a webhook; one that it does not take is an error',
    place: 'project',
    args: [webhook],
    failure: ({ ok }) => (ok === true ? undefined : 'the test event was not delivered'),
  },
  {
    name: 'redeliver',
    id: 'projects.webhooks-redeliver',
    description: 'deliver an event to its webhook again; once for each run of `svc runs list --kind webhook`',
    place: 'project',
    args: [['<run>', 'ID of the run that delivered it', 'run']],
    wait: ['wait until it is received, or tried no more', followDelivery],
  },
  {
    name: 'delete',
    id: 'projects.webhooks-delete',
    description: 'delete a webhook',
    place: 'project',
    args: [webhook],
    done: 'Deleted',
  },
]
