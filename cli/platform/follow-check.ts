/** `--wait` of `svc clouds create` and `svc settings dns set`: shows the checks of the keys until they are taken. */
import type { Client } from '../../client/client.ts'
import { waitForCheck, type Checked } from '../../client/wait/checked.ts'
import type { Follow } from '../operations/operation-command.ts'
import { CliError } from '../session/exit-codes.ts'
import { parseDurationMs } from '../session/flags.ts'
import { plainText } from '../session/terminal.ts'
import { follow, reportEnd, type Work } from '../wait/follow.ts'

type Fields = Readonly<Record<string, unknown>>

interface What {
  nameOf: (params: Fields) => string
  look: string
  /** Its word on the change stream. */
  resource: string
  read: (client: Client, params: Fields, signal: AbortSignal) => Promise<Checked | undefined>
}

const followCheck =
  ({ nameOf, look, resource, read }: What): Follow =>
  async (session, client, { params, flags, act }) => {
    const timeoutMs = await parseDurationMs('--timeout', flags.timeout)
    const before = await read(client, params, session.signal)
    await act()
    const name = nameOf(params)
    const work: Work<Checked | undefined> = {
      name,
      noun: 'check',
      goal: 'ready',
      look,
      timeoutMs,
      concerns: (change) => change.resource === resource,
      textOf: (checked) =>
        checked?.ready === true ? 'ready' : plainText(`${checked?.reason ?? 'NotChecked'}  ${checked?.message ?? ''}`),
      wait: async (poll) =>
        await waitForCheck({ read: async (signal) => await read(client, params, signal), before, ...poll }),
    }
    const { outcome, reason, elapsedMs } = await follow(session, client, work)
    if (outcome === 'failed') throw new CliError('deployFailed', `the check of ${name} failed: ${plainText(reason)}`)
    reportEnd(session, work, elapsedMs)
  }

export const followCloud = followCheck({
  nameOf: ({ name }) => String(name),
  look: 'svc clouds list',
  resource: 'cloud-connections',
  read: async (client, { name }, signal) => {
    const { items } = await client.call('cloud-connections.list', {}, { signal })
    return items.find((it) => it.name === name)
  },
})

export const followDnsProvider = followCheck({
  nameOf: () => 'the DNS provider',
  look: 'svc settings dns show',
  resource: 'platform-config',
  read: async (client, _, signal) => await client.call('settings.dns-provider', {}, { signal }),
})
