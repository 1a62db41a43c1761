/** `svc api METHOD PATH`: sends any request to /api/v1 and prints its answer as it arrives. */
import { once } from 'node:events'
import { Command } from 'commander'
import { apiErrorOf } from '../../client/api-error.ts'
import { CliError } from '../session/exit-codes.ts'
import { textOf } from '../session/flags.ts'
import { clientOf, openSession, type Cli, type Session } from '../session/session.ts'
import { type Terminal, visibleText } from '../session/terminal.ts'
import { defined } from '../../contract/defined.ts'

interface ApiFlags {
  data?: string
  query?: readonly string[]
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

export function api(cli: Cli): Command {
  return new Command('api')
    .description('make any request to the API and print the answer')
    .argument('<method>', 'GET, POST, PATCH, PUT or DELETE')
    .argument('<path>', 'relative to /api/v1, such as /apps')
    .option('-d, --data <body>', 'JSON body; @FILE reads a file, - reads standard input')
    .option(
      '-q, --query <key=value>',
      'query parameter; may be repeated',
      (value: string, all: readonly string[] | undefined) => [...(all ?? []), value],
    )
    .addHelpText(
      'after',
      '\nExamples:\n  svc api GET /apps -q project=proj-1a2b3c4d\n  svc api POST /apps/web/scale -d \'{"replicas": 3}\'',
    )
    .action(async (method: string, path: string, flags: ApiFlags, command: Command) => {
      await run(await openSession(cli, command), method.toUpperCase(), path, flags)
    })
}

async function run(session: Session, method: string, path: string, flags: ApiFlags): Promise<void> {
  if (!methods.includes(method)) throw new CliError('usage', `${method} is not a method; use ${methods.join(', ')}`)
  const body = await textOf(session.terminal, flags.data)
  const [plain = '', search = ''] = path.split('?', 2)
  const query = new URLSearchParams([...new URLSearchParams(search), ...(flags.query ?? []).map(pairOf)])
  const client = await clientOf(session)
  const request = { method, path: pathBelow(plain), query, ...defined({ body }) }
  const response = await client.request(request, { signal: session.signal })
  // The answer is printed in either case: a script reads the error's code from it.
  if (!response.ok) {
    const text = await response.text()
    if (text !== '') session.terminal.styledLine(shownBy(session.terminal)(text.trimEnd()))
    throw apiErrorOf(response.status, text)
  }
  if (response.body !== null) await printBody(session, response.body)
}

/** `/api/v1/apps`, `/apps` and `apps` are the same. */
const pathBelow = (path: string): string => `/${path.replace(/^\/?(api\/v1(?=\/|$))?\/*/, '')}`

/** What a script reads is what the server sent; a person's terminal obeys nothing in it. */
const shownBy = ({ live }: Terminal): ((text: string) => string) => (live ? visibleText : (text) => text)

/** Chunk by chunk, so that `svc api GET /events` shows each event as it arrives. */
async function printBody({ terminal }: Session, body: AsyncIterable<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder()
  const shown = shownBy(terminal)
  let endsLine = true
  for await (const chunk of body) {
    if (chunk.length === 0) continue
    const written = terminal.live ? shown(decoder.decode(chunk, { stream: true })) : chunk
    if (!terminal.output.write(written)) await once(terminal.output, 'drain')
    endsLine = chunk.at(-1) === 10
  }
  // What is left of a character that the answer ended within.
  if (terminal.live) terminal.output.write(shown(decoder.decode()))
  if (!endsLine) terminal.line()
}

function pairOf(text: string): [string, string] {
  const at = text.indexOf('=')
  if (at < 1) throw new CliError('usage', `"${text}" is not KEY=VALUE`)
  return [text.slice(0, at), text.slice(at + 1)]
}
