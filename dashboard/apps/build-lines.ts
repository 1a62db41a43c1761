/** What the build of a deploy writes, outside React: its sections grow while a stream is read. */
import { createParser } from 'eventsource-parser'
import type { DeploymentLine } from '../../client/apps/follow-deployment.ts'
import { SeenLines } from '../../client/apps/seen-lines.ts'
import { openStream, sentenceOf, statusOf } from '../data/api.ts'
import { isBuildSection } from './stages.ts'

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

/** Of each section the newest lines are shown. */
const shownMax = 5000
const flushMs = 80
const againMs = 2000

/** Follows while the page listens, until the deploy has ended. */
export function followBuild(app: string, id: string) {
  const seen = new SeenLines()
  let shown: BuildLines = { sections: [], lost: '' }
  let waiting: DeploymentLine[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let end: AbortController | undefined
  const listeners = new Set<() => void>()
  const show = (lost = shown.lost) => {
    timer = undefined
    shown = { sections: withLines(shown.sections, waiting), lost }
    waiting = []
    for (const listener of listeners) listener()
  }
  const add = (line: DeploymentLine) => {
    if (!isBuildSection(line.section) || !seen.isNew(line.section, line.t, line.line)) return
    waiting.push(line)
    timer ??= setTimeout(show, flushMs)
  }
  const read = async (signal: AbortSignal) => {
    while (!signal.aborted) {
      try {
        seen.reconnect()
        if (await readOnce({ app, id }, add, () => show(''), signal)) return
        show('the stream ended')
      } catch (error) {
        if (signal.aborted) return
        show(sentenceOf(error))
        if ([401, 403, 404].includes(statusOf(error) ?? 0)) return
      }
      await new Promise((resolve) => setTimeout(resolve, againMs))
    }
  }
  return {
    snapshot: () => shown,
    subscribe(listener: () => void) {
      listeners.add(listener)
      if (end === undefined) {
        end = new AbortController()
        void read(end.signal)
      }
      return () => {
        listeners.delete(listener)
        if (listeners.size > 0) return
        clearTimeout(timer)
        timer = undefined
        end?.abort()
        end = undefined
      }
    },
  }
}

/** Whether the deploy has ended. */
async function readOnce(
  deployment: { app: string; id: string },
  add: (line: DeploymentLine) => void,
  onOpen: () => void,
  signal: AbortSignal,
): Promise<boolean> {
  const body = await openStream('apps.deployment-logs-stream', deployment, signal)
  onOpen()
  let hasEnded = false
  const parser = createParser({
    onEvent({ event, data }) {
      if (event === 'end') hasEnded = true
      else add(JSON.parse(data) as DeploymentLine) // docs/reference/builds.md#the-log-of-a-build
    },
  })
  const decoder = new TextDecoder()
  for await (const chunk of body) parser.feed(decoder.decode(chunk, { stream: true }))
  return hasEnded
}

function withLines(sections: readonly BuildSection[], added: readonly DeploymentLine[]): BuildSection[] {
  const lines = new Map(sections.map((each) => [each.id, { ...each, lines: [...each.lines] }]))
  for (const { section, title, line } of added) {
    const known = lines.get(section) ?? { id: section, title, lines: [] }
    known.lines.push(line)
    lines.set(section, known)
  }
  return [...lines.values()].map((each) => ({ ...each, lines: each.lines.slice(-shownMax) }))
}
