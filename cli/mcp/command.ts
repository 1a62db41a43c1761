/** `svc mcp`: the tools of agents, on standard input and output or over HTTP. */
import { Command } from 'commander'
import { CliError } from '../session/exit-codes.ts'
import { cliVersion } from '../session/at-start.ts'
import { addressOf, clientOf, openSession, userAgent, type Cli, type Session } from '../session/session.ts'

interface McpFlags {
  readOnly?: boolean
  allowDelete?: boolean
  listen?: string
}

export function mcp(cli: Cli): Command {
  return new Command('mcp')
    .description('give an agent the tools of this login (Model Context Protocol)')
    .option('--read-only', 'leave out every tool that changes something')
    .option('--allow-delete', 'add the tool that deletes services, databases and buckets')
    .option(
      '--listen <address>',
      'serve HTTP there instead of standard input and output; each agent sends its own token. ' +
        'PORT or HOST:PORT, on this machine only unless a host is named',
    )
    .addHelpText(
      'after',
      '\nThe tools are those that the token may use: an observer token lets an agent read, an admin token change.\n' +
        '\nExamples:\n  svc mcp --read-only\n  svc mcp --listen 8090',
    )
    .action(async (flags: McpFlags, command: Command) => await run(await openSession(cli, command), flags))
}

async function run(session: Session, flags: McpFlags): Promise<void> {
  const { terminal, now, sleep, signal } = session
  const options = {
    readOnly: flags.readOnly === true,
    allowDelete: flags.allowDelete === true,
    version: cliVersion,
    now,
    sleep,
    signal,
  }
  // Loaded here: no other command needs the protocol.
  if (flags.listen === undefined) {
    const { serveStdio } = await import('../../mcp/stdio.ts')
    return await serveStdio(await clientOf(session), { input: terminal.input, output: terminal.output }, options)
  }
  const { parseListenAddress } = await import('../../mcp/http/same-site.ts')
  if (parseListenAddress(flags.listen) === undefined)
    throw new CliError('usage', `"${flags.listen}" is not an address to listen at, such as 8090 or 127.0.0.1:8090`)
  const { serveHttp } = await import('../../mcp/http/listen.ts')
  await serveHttp(
    { baseUrl: addressOf(session), userAgent },
    { ...options, address: flags.listen, allowedHosts: session.env['SVC_MCP_HOSTS'] ?? '', note: terminal.note },
  )
}
