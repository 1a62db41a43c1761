/** `svc runs`: every operation that runs or ran, and what one did. */
import { Command, Option } from 'commander'
import { defined } from '../../contract/defined.ts'
import type { View } from '../../contract/operations.ts'
import { type RunKind, runKinds, runOutcomes } from '../../contract/runs/words.ts'
import { answerList, listFlags, type ListFlags } from '../output/list.ts'
import { printPairs, printTable } from '../output/table.ts'
import { timeText } from '../output/value-text.ts'
import { wholeNumber } from '../session/flags.ts'
import { ownerQuery } from '../session/place.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'

type Step = View<'runs.get'>['steps'][number]

export const runCommands = (cli: Cli): Command =>
  new Command('runs')
    .alias('run')
    .description('see every operation that runs or ran: who asked, what it did, what it waits for')
    .addCommand(list(cli))
    .addCommand(show(cli))

interface Filter extends ListFlags {
  kind?: RunKind
  resource?: string
  actor?: string
  outcome?: (typeof runOutcomes)[number]
  limit?: number
  cursor?: string
}

function list(cli: Cli): Command {
  const command = new Command('list')
    .alias('ls')
    .description('list runs, open ones first, then by their end')
    .addOption(new Option('--kind <kind>', 'what was worked on').choices([...runKinds]))
    .option('--resource <name>', 'name of what was worked on')
    .option('--actor <name>', 'who asked for it')
    .addOption(new Option('--outcome <outcome>', 'how it ended').choices([...runOutcomes]))
    .option('--limit <number>', 'most runs to list', wholeNumber)
    .option('--cursor <cursor>', 'the page after the one that ended with this cursor')
  return listFlags(command).action(
    async (flags: Filter, called: Command) => await runList(await openSession(cli, called), flags),
  )
}

async function runList(session: Session, { quiet, columns, sort, ...filter }: Filter): Promise<void> {
  const client = await clientOf(session)
  const params = { ...(await ownerQuery(session, client)), ...defined({ ...filter }) }
  const view = await client.call('runs.list', params, { signal: session.signal })
  await answerList(session, view, defined({ quiet, columns, sort }), {
    items: view.items,
    columns: {
      run: ({ id }) => id,
      kind: ({ kind }) => kind,
      resource: ({ resource }) => resource,
      action: ({ action }) => action,
      actor: ({ actor }) => actor,
      outcome: ({ outcome }) => outcome,
      started: ({ startedAt }) => timeText(startedAt),
      took: ({ startedAt, endedAt }) => tookText(startedAt, endedAt),
    },
    more: { project: ({ project }) => project, environment: ({ environment }) => environment },
    none: 'no runs',
    client,
  })
  if (view.cursor !== '' && session.flags.json !== true)
    session.terminal.note(`there are more: --cursor ${view.cursor}`)
}

function show(cli: Cli): Command {
  return new Command('show')
    .description('show what a run did, step by step, and what it waits for')
    .argument('<run>', 'ID of the run, as `svc runs list` shows it')
    .action(async (run: string, _: object, command: Command) => await runShow(await openSession(cli, command), run))
}

async function runShow(session: Session, run: string): Promise<void> {
  const view = await (await clientOf(session)).call('runs.get', { run }, { signal: session.signal })
  await answer(session, view, async ({ steps, startedAt, endedAt, shortened, ...facts }) => {
    const { terminal } = session
    const took = tookText(startedAt, endedAt)
    printPairs(terminal, [
      ...Object.entries(facts).map(([name, value]) => [name, String(value)] as const),
      ['started', timeText(startedAt)],
      ['took', took === '' ? undefined : took],
    ])
    if (shortened) terminal.note('the earliest steps are left out')
    await printTable(
      terminal,
      ['at', 'took', 'step'],
      steps.map((step) => [step.at, step.kind === 'woken' ? '' : tookText(step.at, step.endedAt), stepText(step)]),
    )
  })
}

const leads = { woken: 'woken: ', did: '', waited: 'waited: ' } as const

function stepText({ kind, text, result, endedAt, attempts, error }: Step): string {
  const lead = kind === 'waited' && endedAt === undefined ? 'waits: ' : leads[kind]
  const again = attempts === undefined ? '' : ` (attempt ${attempts})`
  const end = error ?? result
  return `${lead}${text}${again}${end === undefined ? '' : `: ${end}`}`
}

/** `1.2 s`; '' while it goes on. */
const tookText = (from: string, to: string | undefined): string =>
  to === undefined ? '' : `${((Date.parse(to) - Date.parse(from)) / 1000).toFixed(1)} s`
