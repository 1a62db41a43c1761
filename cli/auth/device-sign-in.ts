/**
 * Device sign-in (docs/reference/access.md#device-sign-in):
 * 1. ask for a device code and a user code;
 * 2. show the page for the user code;
 * 3. poll for the token: every `interval` seconds, 5 more after each `slow_down`, until the code expires.
 */
import { hostname } from 'node:os'
import { ApiError, UnreachableError } from '../../client/api-error.ts'
import type { Client } from '../../client/client.ts'
import { CliError } from '../session/exit-codes.ts'
import type { Cli } from '../session/session.ts'
import { plainText } from '../session/terminal.ts'

/** @throws CliError `notAllowed` when refused, `timedOut` without an approval in time. */
export async function signInByDevice(cli: Cli, client: Client): Promise<string> {
  const { deviceClientNameMax, devicePollSeconds } = await import('../../contract/limits.ts')
  const { signal, now, terminal } = cli
  const clientName = `svc on ${hostname()}`.slice(0, deviceClientNameMax)
  const started = await client.call('auth.device-start', { clientName }, { signal })
  terminal.styledNote(
    `Open ${plainText(started.verificationUri)} and enter the code ${terminal.colors.bold(plainText(started.userCode))}`,
  )
  terminal.note(`or open ${started.verificationUriComplete}`)
  const deadline = now() + started.expiresIn * 1000
  let interval = Math.max(devicePollSeconds, started.interval)
  for (;;) {
    await cli.sleep(Math.min(interval * 1000, Math.max(0, deadline - now())), signal)
    if (now() >= deadline) throw expired()
    const answer = await poll(client, started.deviceCode, signal)
    if (answer.token !== undefined) return answer.token
    if (answer.slowDown) interval = await slower(interval)
  }
}

async function poll(
  client: Client,
  deviceCode: string,
  signal: AbortSignal,
): Promise<{ token?: string; slowDown: boolean }> {
  try {
    const { token } = await client.call('auth.device-token', { deviceCode }, { signal })
    return { token, slowDown: false }
  } catch (error) {
    // The answer was lost and may come at the next poll: the code is valid until it expires.
    if (error instanceof UnreachableError) return { slowDown: false }
    if (!(error instanceof ApiError)) throw error
    if (error.code === 'authorization_pending') return { slowDown: false }
    if (error.code === 'slow_down') return { slowDown: true }
    if (error.code === 'access_denied') throw new CliError('notAllowed', 'the sign-in was refused', error)
    if (error.code === 'expired_token') throw expired(error)
    throw error
  }
}

/** Each `slow_down` adds 5 seconds, up to 30 (docs/reference/access.md#device-sign-in). */
async function slower(interval: number): Promise<number> {
  const { deviceSlowDownMaxSeconds, deviceSlowDownSeconds } = await import('../../contract/limits.ts')
  return Math.max(interval, Math.min(interval + deviceSlowDownSeconds, deviceSlowDownMaxSeconds))
}

const expired = (cause?: unknown): CliError =>
  new CliError('timedOut', 'the sign-in was not approved before its code expired; start again with `svc login`', cause)
