/**
 * `svc platform`: what svc itself keeps as one sealed file, and back into an empty cluster. Only a signed-in admin may,
 * never a token: the password is asked for. The key stays on this machine.
 */
import { createHash } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { Command } from 'commander'
import { ApiError } from '../../client/api-error.ts'
import type { Client } from '../../client/client.ts'
import type { View } from '../../contract/operations.ts'
import { printPairs } from '../output/table.ts'
import { CliError } from '../session/exit-codes.ts'
import { openDoor, type DoorFlags } from '../session/password-session.ts'
import { answer, openSession, type Cli, type Session } from '../session/session.ts'
import { countKinds, newKey, openBackup, type OpenedBackup, partsOf } from './backup-file.ts'

const ownerOnly = 0o600

export function platformCommands(cli: Cli): Command {
  const platform = new Command('platform').description('back up what svc itself keeps, and bring it back')
  for (const make of [key, backup, check, restore]) platform.addCommand(make(cli))
  return platform
}

function key(cli: Cli): Command {
  return new Command('key')
    .description('make the key that backups of the platform are sealed to')
    .argument('<file>', 'where the key goes; it must not exist')
    .action(async (file: string, _flags: object, command: Command) => {
      const session = await openSession(cli, command)
      const { text, recipient } = await newKey()
      await writeFile(file, text, { mode: ownerOnly, flag: 'wx' }).catch(unless(`cannot write ${file}`))
      await answer(session, { recipient, file }, () => {
        session.terminal.line(recipient)
        session.terminal.note(`the key is in ${file}: keep it, and a copy, where the cluster cannot take it along`)
      })
    })
}

function backup(cli: Cli): Command {
  return asAdmin(new Command('backup'))
    .description('write records, settings, tokens, users and Secrets of svc into one sealed file')
    .argument('<file>', 'the file; - is standard output')
    .requiredOption('--for <public key>', 'the holder of its private key may read the file: age1…')
    .action(async (file: string, flags: DoorFlags & { for: string }, command: Command) => {
      const session = await openSession(cli, command)
      const { client } = await openDoor(session, flags)
      const view = await client.call('platform.backup', { recipient: flags.for }, { signal: session.signal })
      const bytes = Buffer.from(view.file, 'base64')
      if (createHash('sha256').update(bytes).digest('hex') !== view.sha256)
        throw new CliError('error', 'the answer is not whole: nothing was written')
      if (file === '-') {
        await new Promise<void>((resolve) => session.terminal.output.write(bytes, () => resolve()))
        session.terminal.note(`${view.sha256}  backup ${view.id}, ${view.entries} objects`)
        return
      }
      await writeWhole(file, bytes)
      const { file: _, ...said } = view
      await answer(session, { ...said, path: file }, () => {
        session.terminal.line(`${view.sha256}  ${file}`)
        session.terminal.note(`backup ${view.id}: ${view.entries} objects, ${bytes.length} bytes`)
      })
    })
}

/** A file of that name is a whole backup, the earlier one or this. */
async function writeWhole(file: string, bytes: Uint8Array): Promise<void> {
  const half = `${file}.${process.pid}.part`
  try {
    await writeFile(half, bytes, { mode: ownerOnly, flag: 'wx' })
    await rename(half, file)
  } catch (error) {
    await rm(half, { force: true })
    throw new CliError('error', `cannot write ${file}`, error)
  }
}

function check(cli: Cli): Command {
  return keyFlag(new Command('check'))
    .description('open such a file and count what it holds; asks nothing of the service')
    .argument('<file>', 'the file')
    .action(async (file: string, flags: { key: string }, command: Command) => {
      const session = await openSession(cli, command)
      const { header, entries } = await opened(file, flags.key)
      const kinds = Object.fromEntries(countKinds(entries))
      await answer(session, { id: header.id, at: header.at, kinds }, () =>
        printPairs(session.terminal, [['backup', `${header.id} of ${header.at}`], ...pairsOf(kinds)]),
      )
    })
}

const pairsOf = (kinds: Record<string, number>): [string, string][] =>
  Object.entries(kinds).map(([kind, count]) => [kind, String(count)])

interface RestoreFlags extends DoorFlags {
  key: string
}

function restore(cli: Cli): Command {
  return keyFlag(asAdmin(new Command('restore')))
    .description('bring such a file back into an empty cluster; one that stopped half-way is repeated')
    .argument('<file>', 'the file')
    .action(async (file: string, flags: RestoreFlags, command: Command) => {
      const session = await openSession(cli, command)
      const backedUp = await opened(file, flags.key)
      const { client } = await openDoor(session, flags)
      const view = await bringBack(session, client, backedUp).catch((error: unknown) => {
        if (!isRefusal(error)) session.terminal.note('the restore stopped: the same command goes on with it')
        throw error
      })
      await answer(session, view, () => {
        session.terminal.line(`backup ${backedUp.header.id}: ${view.written} objects written, ${view.there} were there`)
        for (const note of view.notes) session.terminal.line(note)
        session.terminal.note('users and passwords are those of the backup now')
      })
      for (const { kind, name, error } of view.refused) session.terminal.note(`refused: ${kind} ${name}: ${error}`)
      if (view.refused.length > 0) throw new CliError('error', `${view.refused.length} objects did not come back`)
    })
}

/** The service does not take this file, or not into this cluster: the same command would be refused again. */
const isRefusal = (error: unknown): boolean => error instanceof ApiError && error.code === 'invalid_request'

/** All are made first, and then what was deployed is switched on. */
async function bringBack(
  { signal }: Session,
  client: Client,
  { header, entries }: OpenedBackup,
): Promise<View<'platform.restore'>> {
  const sum: View<'platform.restore'> = { ok: true, written: 0, there: 0, refused: [], notes: [] }
  for (const step of ['records', 'start'] as const)
    for await (const { packed } of partsOf(entries)) {
      const part = await client.call('platform.restore', { backup: header.id, step, entries: packed }, { signal })
      if (step === 'records') sum.there += part.there
      sum.written += step === 'records' ? part.written : 0
      sum.refused.push(...part.refused)
      sum.notes.push(...part.notes)
    }
  return sum
}

async function opened(file: string, keyFile: string): Promise<OpenedBackup> {
  const bytes = await readFile(file).catch(unless(`cannot read ${file}`))
  return await openBackup(bytes, await readFile(keyFile, 'utf8').catch(unless(`cannot read ${keyFile}`)))
}

const unless =
  (sentence: string) =>
  (error: unknown): never => {
    throw new CliError('error', sentence, error)
  }

const keyFlag = (command: Command): Command =>
  command.requiredOption('--key <file>', 'the file with the key that it is sealed to')

const asAdmin = (command: Command): Command =>
  command
    .option('--as <admin>', 'admin to sign in as', 'admin')
    .option('--password-stdin', 'read the password from standard input instead of asking')
