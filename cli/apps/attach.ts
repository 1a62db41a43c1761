/** `svc apps attach`: gives a service variables with the address and login of a database or bucket. */
import { Command, Option } from 'commander'
import { ApiError } from '../../client/api-error.ts'
import type { Client } from '../../client/client.ts'
import { recordKinds, storeKind } from '../records/record-kinds.ts'
import { CliError } from '../session/exit-codes.ts'
import { parseDurationMs } from '../session/flags.ts'
import { answer, clientOf, openSession, type Cli, type Session } from '../session/session.ts'
import { changeFlags, deployChange, deploysChange, type ChangeFlags } from '../wait/deploy-change.ts'

const kinds = ['database', 'object-store'] as const
type Kind = (typeof kinds)[number]

interface AttachFlags extends ChangeFlags {
  kind?: Kind
}

export function attach(cli: Cli): Command {
  const command = new Command('attach')
    .description('give a service the variables by which it reaches a database or bucket')
    .argument('<app>', 'name of the service')
    .argument('<record>', 'name of the database, logical database or bucket')
    .addOption(new Option('--kind <kind>', 'what the name is of; found out if left out').choices(kinds))
  return changeFlags(command).action(
    async (app: string, name: string, flags: AttachFlags, called: Command) =>
      await run(await openSession(cli, called), app, name, flags),
  )
}

async function run(session: Session, app: string, name: string, flags: AttachFlags): Promise<void> {
  const { terminal, signal } = session
  await parseDurationMs('--timeout', flags.timeout)
  const client = await clientOf(session)
  const kind = flags.kind ?? (await findKind(client, name, signal))
  const view = await client.call('apps.attach', { app, name, kind }, { signal })
  if (deploysChange(flags)) return await deployChange(session, client, app, flags, `Attached ${name}`)
  await answer(session, view, async ({ pending, detail }) => {
    const { spec } = await client.call('apps.get', { app }, { signal })
    const variables = variablesFrom(spec['env'], name)
    terminal.line(`Attached ${name} to ${app}${variables.length === 0 ? '' : `; it is given ${variables.join(', ')}`}`)
    terminal.line(pending.length === 0 ? detail : `${detail} Deploy with \`svc deploy ${app}\``)
  })
}

/** @throws CliError `notFound` when no resource has the name, `usage` when a database and a bucket both have it. */
async function findKind(client: Client, name: string, signal: AbortSignal): Promise<Kind> {
  const found = await Promise.all(
    recordKinds.map(async (kind) => ((await isThere(async () => await kind.read(client, name, signal))) ? [kind] : [])),
  )
  const words = new Set(found.flat().map((kind): Kind => (kind === storeKind ? 'object-store' : 'database')))
  const [first, second] = words
  if (first === undefined) throw new CliError('notFound', `no database or bucket is called ${name}`)
  if (second !== undefined)
    throw new CliError('usage', `a database and a bucket are called ${name}: say which with --kind`)
  return first
}

async function isThere(read: () => Promise<unknown>): Promise<boolean> {
  try {
    await read()
    return true
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return false
    throw error
  }
}

/** Names of the entries of `spec.env` that refer to the connection Secret of this resource. */
function variablesFrom(env: unknown, name: string): string[] {
  const entries: unknown[] = Array.isArray(env) ? env : []
  return entries.flatMap((entry) => {
    const variable = fieldOf(entry, 'name')
    const secret = fieldOf(fieldOf(fieldOf(entry, 'valueFrom'), 'secretKeyRef'), 'name')
    return secret === `${name}-connection` && typeof variable === 'string' ? [variable] : []
  })
}

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined
