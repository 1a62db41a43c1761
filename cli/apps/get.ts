/** `svc apps get`: what a service is; how it is doing is `svc status`. */
import { Command } from 'commander'
import { timeText } from '../duration.ts'
import { answer, clientOf, openSession } from '../session.ts'
import type { Cli, Session } from '../session.ts'
import { printPairs } from '../table.ts'

export function get(cli: Cli): Command {
  return new Command('get')
    .description('show a service')
    .argument('<app>', 'name of the service')
    .action(async (app: string, _: object, command: Command) => await run(await openSession(cli, command), app))
}

async function run(session: Session, app: string): Promise<void> {
  const view = await (await clientOf(session)).call('apps.get', { app }, { signal: session.signal })
  const { resource } = view
  await answer(session, view, () => {
    printPairs(session.terminal, [
      ['name', resource.name],
      ['label', resource.displayName === resource.name ? '' : resource.displayName],
      ['project', resource.project],
      ['environment', resource.environment],
      ['state', resource.state],
      ['message', resource.message],
      ['url', resource.url],
      ['pending changes', String(resource.pendingChanges)],
      ...Object.entries(resource.details).map(([name, value]) => [name, detailText(value)] as const),
      ['created', timeText(resource.createdAt)],
    ])
  })
}

/** Details depend on the source; what is nested is shown as JSON. */
function detailText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
