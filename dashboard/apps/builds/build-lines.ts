/** What the build of a deploy writes, outside React: its sections grow while a stream is read. */
import { type DeploymentLine, isLine } from '../../../client/apps/follow-deployment.ts'
import { SeenLines } from '../../../client/apps/seen-lines.ts'
import { readServerEvents } from '../../../client/server-events.ts'
import { isBuildSection } from '../../../contract/fields/words.ts'
import { openStream } from '../../data/api.ts'
import { createFollowed, type Followed } from '../../data/followed.ts'

export interface BuildSection {
  readonly id: string
  readonly title: string
  readonly lines: readonly string[]
}

export interface BuildLines {
  readonly sections: readonly BuildSection[]
  /** Why nothing is read at the moment; '' while it is. */
  readonly lost: string
}

/** Lines of a section that are shown, the newest ones. */
const shownMax = 5000

/** Follows while there is a listener, until the deploy has ended. */
export const followBuild = (app: string, id: string): Followed<BuildLines> =>
  createFollowed((show) => {
    const seen = new SeenLines()
    let sections: readonly BuildSection[] = []
    let waiting: DeploymentLine[] = []
    let lost = ''
    const say = (why: string) => {
      lost = why
      show()
    }
    const add = (line: DeploymentLine) => {
      if (!isBuildSection(line.section) || !seen.isNew(line.section, line.t, line.line)) return
      waiting.push(line)
      show()
    }
    return {
      next() {
        sections = withLines(sections, waiting)
        waiting = []
        return { sections, lost }
      },
      lost: say,
      async readOnce(signal) {
        seen.reconnect()
        const body = await openStream('apps.deployment-logs-stream', { app, id }, signal)
        say('')
        for await (const { event, data } of readServerEvents(body)) {
          if (event === 'end') return true
          if (isLine(data)) add(data)
        }
        return false
      },
    }
  })

function withLines(sections: readonly BuildSection[], added: readonly DeploymentLine[]): BuildSection[] {
  const lines = new Map(sections.map((each) => [each.id, { ...each, lines: [...each.lines] }]))
  for (const { section, title, line } of added) {
    const known = lines.get(section) ?? { id: section, title, lines: [] }
    known.lines.push(line)
    lines.set(section, known)
  }
  return [...lines.values()].map((each) => ({ ...each, lines: each.lines.slice(-shownMax) }))
}
