/** `svc metrics`: the usage of a service, a database or a project, now and over a window. */
import { Command, Option } from 'commander'
import type { Client } from '../../client/client.ts'
import { metricsWindows } from '../../contract/limits.ts'
import type { View } from '../../contract/operations.ts'
import { printTable } from '../output/table.ts'
import { CliError } from '../session/exit-codes.ts'
import { findProjectId } from '../session/place.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'
import { defined } from '../../contract/defined.ts'

const kinds = ['apps', 'databases', 'projects', 'cluster', 'operator'] as const
const windowDefault = '1h'

type Series = View<'apps.metrics'>
interface MetricsFlags {
  window: (typeof metricsWindows)[number]
  kind: (typeof kinds)[number]
}

export function metrics(cli: Cli): Command {
  return new Command('metrics')
    .description("show what a service, database, project or the cluster uses, or how svc's own processes do")
    .argument('[name]', 'name of the service or database; ID or name of the project')
    .addOption(new Option('--window <window>', 'how far back').choices(metricsWindows).default(windowDefault))
    .addOption(new Option('--kind <kind>', 'what it is').choices(kinds).default('apps'))
    .action(
      async (name: string | undefined, flags: MetricsFlags, command: Command) =>
        await run(await openSession(cli, command), name, flags),
    )
}

async function run(session: Session, named: string | undefined, { window, kind }: MetricsFlags): Promise<void> {
  const isNamed = kind !== 'cluster' && kind !== 'operator'
  if (isNamed && named === undefined) throw new CliError('usage', 'say whose metrics: `svc metrics NAME`')
  const name = named ?? kind
  const view = await readSeries(session, await clientOf(session), name, kind, window)
  const rows = Object.entries(view.series).filter(([, points]) => points.length > 0)
  // Missing metrics are an error for a script (docs/reference/command-line.md#exit-codes), with the api's reason if
  // any.
  if (rows.length === 0)
    throw new CliError(
      'error',
      view.message === undefined ? `no metrics of ${name} yet` : `no metrics yet: ${view.message}`,
    )
  await answer(session, view, () =>
    printTable(
      session.terminal,
      ['series', 'now', 'lowest', 'highest'],
      rows.map(([series, points]) => rowOf(series, points)),
    ),
  )
}

async function readSeries(
  session: Session,
  client: Client,
  name: string,
  kind: MetricsFlags['kind'],
  window: MetricsFlags['window'],
): Promise<Series> {
  const { signal } = session
  if (kind === 'apps') return await client.call('apps.metrics', { app: name, window }, { signal })
  if (kind === 'databases') return await client.call('databases.metrics', { db: name, window }, { signal })
  if (kind === 'cluster') return await client.call('metrics.cluster', { window }, { signal })
  if (kind === 'operator') return await client.call('metrics.operator', { window }, { signal })
  const { environment } = session.target()
  const project = (await findProjectId(session, client, name)) ?? name
  return await client.call('projects.metrics', { project, window, ...defined({ environment }) }, { signal })
}

const namesOf: Readonly<Record<string, string>> = { network: 'network out', networkIn: 'network in' }

function rowOf(series: string, points: Series['series'][string]): string[] {
  const values = points.map(({ v }) => v)
  return [
    namesOf[series] ?? series,
    ...[values.at(-1) ?? 0, Math.min(...values), Math.max(...values)].map((value) => valueText(series, value)),
  ]
}

const byteSeries: ReadonlySet<string> = new Set(['memory', 'network', 'networkIn', 'storage'])

function valueText(series: string, value: number): string {
  if (series === 'cpu') return `${value.toFixed(3)} cores`
  if (series === 'requests') return `${value.toFixed(2)}/s`
  if (!byteSeries.has(series)) return value.toFixed(3)
  return series.startsWith('network') ? `${bytesText(value)}/s` : bytesText(value)
}

/** `96.0 MiB` */
function bytesText(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  const power = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(value) / 10))
  return `${(value / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${units[power] ?? ''}`
}
