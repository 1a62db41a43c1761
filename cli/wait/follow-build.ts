/** The steps of the build that a deploy waits for, shown while it is waited for. */
import { followDeploymentLog, type DeploymentLine } from '../../client/apps/follow-deployment.ts'
import type { Client } from '../../client/client.ts'
import type { DeployStatus } from '../../client/wait/deploy.ts'
import { isBuildOver, isBuildSection } from '../../contract/fields/words.ts'
import type { Session } from '../session/session.ts'
import { plainText } from '../session/terminal.ts'
import type { Steps } from './follow.ts'

/** Of a status with an open build: its steps, until the deploy of that build has ended. */
export const stepsOfBuild =
  ({ sleep }: Pick<Session, 'sleep'>, client: Client, app: string) =>
  ({ build, lastAttempt }: DeployStatus): Steps | undefined => {
    if (build === undefined || lastAttempt === undefined || isBuildOver(build.phase)) return undefined
    const { id } = lastAttempt
    const follow: Steps['follow'] = async (show, signal) => {
      const isStep = createStepFilter()
      const onTrouble = (error: Error): void => show(`${plainText(error.message)}; trying again`)
      try {
        for await (const line of followDeploymentLog(client, { app, id }, { signal, sleep, onTrouble }))
          if (isStep(line)) show(plainText(`${line.title}  ${line.line}`))
      } catch (error) {
        // The steps are only additional output.
        const reason = error instanceof Error ? error.message : String(error)
        if (!signal.aborted) show(`the log of the build cannot be shown: ${plainText(reason)}`)
      }
    }
    return { of: id, follow }
  }

/** Lines without a number of a step of BuildKit, and of those with one the first, which names the step. */
function createStepFilter(): (line: DeploymentLine) => boolean {
  const begun = new Set<string>()
  return ({ section, line }) => {
    if (!isBuildSection(section) || line === '') return false
    const [number] = /^#\d+ /.exec(line) ?? []
    return number === undefined || (!begun.has(number) && begun.add(number).has(number))
  }
}
