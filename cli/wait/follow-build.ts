/** The lines of the build that a deploy waits for, shown while it is waited for. */
import { followDeploymentLog } from '../../client/apps/follow-deployment.ts'
import type { Client } from '../../client/client.ts'
import { isBuildSection } from '../../contract/fields/words.ts'
import type { Session } from '../session/session.ts'
import { plainText } from '../session/terminal.ts'

/** Ends with the deploy. The lines are only additional output: a failure to read them is shown as one. */
export async function showBuild(
  { sleep }: Pick<Session, 'sleep'>,
  client: Client,
  app: string,
  show: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const onTrouble = (error: Error): void => show(`${error.message}; trying again`)
  try {
    const { lastAttempt } = await client.call('apps.status', { app }, { signal })
    if (lastAttempt === undefined) return
    const lines = followDeploymentLog(client, { app, id: lastAttempt.id }, { signal, sleep, onTrouble })
    for await (const { section, line } of lines) if (isBuildSection(section)) show(`  ${plainText(line)}`)
  } catch (error) {
    if (!signal.aborted)
      show(`the log of the build cannot be shown: ${error instanceof Error ? error.message : String(error)}`)
  }
}
