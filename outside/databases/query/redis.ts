/** One command on redis; without `write` only one that the server flags as read-only. */
import { isUtf8 } from 'node:buffer'
import { once } from 'node:events'
import { createGuard } from '../../guard.ts'
import { shortly, UpstreamError, whyUnanswered } from '../../upstream-error.ts'
import { AnswerTooLarge, GuardedSocket, type LoginAt, type Played } from '../connect.ts'
import { type Asked, type Cell, type QueryAnswer, receivedBytes, refused, Rows } from './answer.ts'
import { commandOf, type Reply, ReplyReader, wordsOf } from './resp.ts'
import { whileWanted } from './while-wanted.ts'

/** Throws UpstreamError: no connection, a refusal in the words of redis, or a cancelled command. */
export async function queryRedis(at: LoginAt, asked: Asked, played: Played = {}): Promise<QueryAnswer> {
  const { statement, write, limits, signal } = asked
  const words = wordsOf(statement)
  if (words === undefined) throw refused('the quotes of the command do not end')
  const socket = new GuardedSocket(createGuard({ allowPrivate: true, ...played }))
  socket.setNoDelay(true)
  // Redis drops a client that is gone; a command that runs cannot be ended otherwise.
  const wanted = {
    withinMs: limits.withinMs,
    signal,
    cancel: async () => void socket.destroy(),
    destroy: () => void socket.destroy(),
  }
  const tooLarge = () =>
    refused(`the answer is larger than ${limits.bytes / 1024} KiB${write ? '; the command was run' : ''}`)
  try {
    return await whileWanted(wanted, async () => {
      const send = speaking(socket)
      // The login and the look at the command are answered in few words, too.
      socket.endAfter(receivedBytes(limits))
      socket.connect(at.port, at.host)
      await once(socket, 'connect')
      const login = await send(['AUTH', at.username, at.password])
      if (login.kind === 'error') throw refused(`the server refuses the login: ${shortly(login.text, [at.password])}`)
      if (!write) await refuseWriting(send, words)
      const [before, most] = [socket.bytesRead, receivedBytes(limits)]
      socket.endAfter(most)
      const reply = await send(words)
      // The socket is looked at from time to time, and a quick answer is whole between two looks.
      if (socket.bytesRead - before > most) throw tooLarge()
      return answerOf(reply, asked, at)
    })
  } catch (error) {
    if (error instanceof UpstreamError) throw error
    if (socket.errored instanceof AnswerTooLarge) throw tooLarge()
    const why = `${at.host} does not answer on port ${at.port}: ${whyUnanswered(error)}`
    throw new UpstreamError(0, '', shortly(why, [at.password]), true)
  } finally {
    socket.destroy()
  }
}

type Send = (words: readonly string[]) => Promise<Reply>

/** Sends one command after the other and reads one reply for each. Rejects when the connection ends first. */
function speaking(socket: GuardedSocket): Send {
  let reader = new ReplyReader()
  let waiting: { resolve: (reply: Reply) => void; reject: (error: unknown) => void } | undefined
  socket.on('data', (chunk: Buffer) => {
    try {
      const reply = reader.take(chunk)
      if (reply === undefined) return
      reader = new ReplyReader()
      waiting?.resolve(reply)
    } catch (error) {
      waiting?.reject(error)
    }
  })
  const ended = (error?: unknown) => waiting?.reject(error ?? new Error('the connection broke'))
  socket.on('error', ended).on('close', () => ended())
  return (words) =>
    new Promise((resolve, reject) => {
      waiting = { resolve, reject }
      socket.write(commandOf(words))
    })
}

/**
 * Throws for a command without the server's flag `readonly`; of commands such as `OBJECT ENCODING`, the flags are those
 * of the subcommand.
 */
async function refuseWriting(send: Send, words: readonly string[]): Promise<void> {
  const [name = '', second] = words
  const asked = second === undefined ? [name] : [`${name}|${second}`, name]
  for (const command of asked) {
    const flags = flagsIn(await send(['COMMAND', 'INFO', command]))
    if (flags === undefined) continue
    if (flags.includes('readonly')) return
    throw refused(`redis does not call ${command.replace('|', ' ').toUpperCase()} read-only; ask with write to run it`)
  }
  throw refused(`redis has no command ${shortly(name, [])}`)
}

/** The flags of the command; undefined for one that the server does not have. */
function flagsIn(reply: Reply): string[] | undefined {
  const info = reply.kind === 'array' ? reply.items[0] : undefined
  const flags = info?.kind === 'array' ? info.items[2] : undefined
  if (flags?.kind !== 'array') return undefined
  return flags.items.flatMap((flag) => (flag.kind === 'status' ? [flag.text] : []))
}

/** An array has one row per element, any other reply one row; a nested array is JSON text. */
function answerOf(reply: Reply, { limits, write }: Asked, { password }: LoginAt): QueryAnswer {
  if (reply.kind === 'error') throw refused(shortly(reply.text, [password]))
  const rows = new Rows(limits)
  for (const item of reply.kind === 'array' ? reply.items : [reply]) {
    const cell = cellOf(item)
    rows.add(() => [cell], Buffer.byteLength(String(cell)))
  }
  // A command that writes was run by now, whatever the length of the answer.
  if (!write) rows.complete(write)
  const { kind } = reply
  return {
    columns: [{ name: 'value', type: kind === 'bulk' || kind === 'status' ? 'string' : kind }],
    rows: rows.kept,
    truncated: rows.truncated,
  }
}

/** Bytes that are no valid text are shown in hexadecimal digits. */
function cellOf(reply: Reply): Cell {
  if (reply.kind === 'nil') return null
  if (reply.kind === 'array') return JSON.stringify(reply.items.map(cellOf))
  if (reply.kind === 'bulk')
    return isUtf8(reply.bytes) ? reply.bytes.toString('utf8') : `0x${reply.bytes.toString('hex')}`
  if (reply.kind !== 'integer') return reply.text
  return Number.isSafeInteger(Number(reply.value)) ? Number(reply.value) : String(reply.value)
}
