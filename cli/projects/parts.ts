/** The lists of what a project has: its environments, shared variables and webhooks, read from the project itself. */
import { Command } from 'commander'
import type { Client } from '../../client/client.ts'
import { answerList, listFlags, type List, type ListFlags } from '../output/list.ts'
import { timeText } from '../output/value-text.ts'
import { CliError } from '../session/exit-codes.ts'
import { findProjectId } from '../session/place.ts'
import { clientOf, openSession, type Cli, type Session } from '../session/session.ts'

/** The parts of the answer about a project that are listed (docs/reference/projects.md#fields). */
interface Project {
  readonly spec: {
    readonly environments?: readonly string[]
    readonly sharedVariables?: readonly SharedVariable[]
    readonly webhooks?: readonly Webhook[]
    readonly pullRequests?: readonly { repository: string; number: number; environment?: string }[]
  }
  readonly status: { readonly environments?: readonly Omit<Environment, 'pullRequest'>[] }
}

interface Environment {
  readonly name: string
  readonly namespace: string
  readonly phase: string
  /** The one it was made for, as `owner/name#3`. */
  readonly pullRequest: string
}

interface SharedVariable {
  readonly name: string
  /** Empty: every environment. */
  readonly environment: string
  /** Only of a plain one. */
  readonly value?: string
}

interface Webhook {
  readonly id: string
  readonly url: string
  /** Empty: every event of deploys. */
  readonly events: readonly string[]
  readonly disabled: boolean
  readonly since?: string
}

/** `svc environments list`. */
export const listEnvironments = (cli: Cli): Command =>
  listPart<Environment>(cli, 'list the environments of the project of -p', (project) => ({
    items: environmentsOf(project),
    columns: {
      name: (it) => it.name,
      phase: (it) => it.phase,
      namespace: (it) => it.namespace,
      'pull request': (it) => it.pullRequest,
    },
    none: 'no environments',
  }))

/** `svc variables list`: of an environment, those that its services get. */
export const listVariables = (cli: Cli): Command =>
  listPart<SharedVariable>(
    cli,
    'list the shared variables of the project of -p, or of the environment of -e; secret values are never shown',
    ({ spec: { sharedVariables = [] } }, environment) => ({
      items: sharedVariables.filter((it) => environment === undefined || ['', environment].includes(it.environment)),
      columns: {
        name: (it) => it.name,
        environment: (it) => it.environment || 'every',
        kind: ({ value }) => (value === undefined ? 'secret' : 'plain'),
        value: ({ value = '' }) => value,
      },
      none: 'no shared variables that this login may see; `svc variables set NAME=VALUE` sets one',
    }),
  )

/** `svc webhooks list`. */
export const listWebhooks = (cli: Cli): Command =>
  listPart<Webhook>(cli, 'list the webhooks of the project of -p', ({ spec: { webhooks = [] } }) => ({
    items: webhooks,
    columns: {
      id: (it) => it.id,
      address: (it) => it.url,
      events: ({ events }) => (events.length === 0 ? 'all of deploys' : events.join(', ')),
      disabled: (it) => (it.disabled ? 'yes' : ''),
      since: (it) => timeText(it.since),
    },
    none: 'no webhooks that this login may see; `svc webhooks add --to ADDRESS` adds one',
  }))

/** What `svc variables unset` says where the project, or its environment, has no such variable of its own. */
export async function noSuchVariable(
  { signal }: Session,
  client: Client,
  { project, environment = '', name }: Readonly<Record<string, unknown>>,
): Promise<string | undefined> {
  const view: Project = await client.call('projects.get', { project: String(project) }, { signal })
  const places = (view.spec.sharedVariables ?? []).filter((it) => it.name === name).map((it) => it.environment)
  if (places.includes(String(environment))) return undefined
  const placeOf = (place: unknown): string => (place === '' ? 'for every environment' : `for ${String(place)}`)
  const others = places.length === 0 ? '' : `; there is one ${places.map(placeOf).join(', ')}`
  return `there was no shared variable ${String(name)} ${placeOf(environment)}${others}`
}

/** Those that the project names, and those that are still being deleted. */
function environmentsOf({ spec: { environments = [], pullRequests = [] }, status }: Project): Environment[] {
  const standing = new Map(status.environments?.map((it) => [it.name, it]))
  return [...new Set([...environments, ...standing.keys()])].map((name) => {
    const made = pullRequests.find(({ environment }) => environment === name)
    return {
      ...(standing.get(name) ?? { name, namespace: '', phase: 'Pending' }),
      pullRequest: made === undefined ? '' : `${made.repository}#${made.number}`,
    }
  })
}

type ListOf<Item> = (project: Project, environment: string | undefined) => List<Item>

function listPart<Item>(cli: Cli, description: string, listOf: ListOf<Item>): Command {
  return listFlags(new Command('list').alias('ls').description(description)).action(
    async (flags: ListFlags, called: Command) => await runList(await openSession(cli, called), flags, listOf),
  )
}

async function runList<Item>(session: Session, flags: ListFlags, listOf: ListOf<Item>): Promise<void> {
  const client = await clientOf(session)
  const project = await findProjectId(session, client)
  if (project === undefined) throw new CliError('usage', 'say which project with -p')
  const view = await client.call('projects.get', { project }, { signal: session.signal })
  const list = listOf(view, session.target().environment)
  await answerList(session, { items: list.items }, flags, list)
}
