/** `svc open`: opens the address of a service, or the dashboard's page of anything that has a name. */
import { once } from 'node:events'
import { Command } from 'commander'
import { ApiError } from '../../client/api-error.ts'
import type { Client } from '../../client/client.ts'
import { type DashboardSection, dashboardPage } from '../../contract/platform/dashboard-page.ts'
import { databaseKind, logicalDatabaseKind, storeKind, type RecordKind } from '../records/record-kinds.ts'
import { CliError } from '../session/exit-codes.ts'
import { findProjectId } from '../session/place.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'

export function open(cli: Cli): Command {
  return new Command('open')
    .description('open the address of a service, or the dashboard; without a browser, print it')
    .argument('[resource]', 'name of a service, database or bucket; ID or name of a project')
    .option('--dashboard', "the dashboard's page of a service instead of its address")
    .action(
      async (name: string | undefined, flags: { dashboard?: true }, command: Command) =>
        await run(await openSession(cli, command), name, flags.dashboard === true),
    )
}

async function run(session: Session, name: string | undefined, dashboard: boolean): Promise<void> {
  const { terminal, env, flags } = session
  const client = await clientOf(session)
  const url = checkedUrl(await addressFor(session, client, name, dashboard))
  if (terminal.live && flags.json !== true && (await opens(url, env))) return terminal.note(`Opened ${url}`)
  await answer(session, { url }, () => terminal.line(url))
}

async function addressFor(
  session: Session,
  client: Client,
  name: string | undefined,
  dashboard: boolean,
): Promise<string> {
  const page = (section: DashboardSection, id: string) => dashboardPage(client.baseUrl, section, id)
  const { signal } = session
  if (name === undefined) {
    const project = await findProjectId(session, client)
    return project === undefined ? client.baseUrl : page('projects', project)
  }
  const app = await unlessHidden(client.call('apps.get', { app: name }, { signal }))
  if (app !== undefined) return dashboard || app.resource.url === '' ? page('services', name) : app.resource.url
  for (const [kind, path] of pages) {
    if ((await unlessHidden(kind.read(client, name, signal))) !== undefined) return page(path, name)
  }
  const project = await projectCalled(session, client, name)
  await client.call('projects.get', { project }, { signal })
  return page('projects', project)
}

/** Sought last, so what is said is about all that a name may be of. */
async function projectCalled(session: Session, client: Client, name: string): Promise<string> {
  try {
    return (await findProjectId(session, client, name)) ?? name
  } catch (error) {
    if (!(error instanceof CliError) || error.outcome !== 'notFound') throw error
    throw new CliError('notFound', `no service, database, bucket or project is called ${name}`, error)
  }
}

/** The dashboard's pages of records. */
const pages: readonly (readonly [RecordKind, DashboardSection])[] = [
  [databaseKind, 'databases'],
  [logicalDatabaseKind, 'logical-databases'],
  [storeKind, 'buckets'],
]

/** Undefined for what there is not, or what the caller may not see. */
async function unlessHidden<View>(call: Promise<View>): Promise<View | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof ApiError && [403, 404].includes(error.status)) return undefined
    throw error
  }
}

/** The service says what is opened, so it has to be a page of the web, not a file or a program. */
function checkedUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !['http:', 'https:'].includes(url.protocol))
    throw new CliError('error', 'the service names an address that is none of the web')
  return url.href
}

/** Whether a browser was asked. */
async function opens(url: string, env: Cli['env']): Promise<boolean> {
  const opener = openerOf(env)
  if (opener === undefined) return false
  const [program = '', ...args] = opener
  const { spawn } = await import('node:child_process')
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true })
  try {
    await once(child, 'spawn')
  } catch {
    return false // there is no such program
  }
  child.unref()
  return true
}

function openerOf(env: Cli['env']): readonly string[] | undefined {
  if (env['BROWSER']) return [env['BROWSER']]
  if (process.platform === 'darwin') return ['open']
  if (process.platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler']
  // Without a display xdg-open would take the terminal for a browser of text.
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open'] : undefined
}
