/**
 * The log of a build: the output of its two containers, as lines of the sections that callers read. BuildKit numbers
 * its steps (`#6 exporting to image`) and mixes the lines of concurrent ones; buildpacks print their phases (`===>
 * EXPORTING`).
 */
import { stampedLine, type StampedLine } from '../logs/log-line.ts'

/** In the order in which they write: the second starts beside the first, and waits for its end. */
export const logContainers = ['clone', 'build'] as const
export type LogContainer = (typeof logContainers)[number]

/** Lines by container, each with its RFC 3339 time in front. */
export type BuildLog = Readonly<Partial<Record<LogContainer, readonly string[]>>>

/**
 * The build log that is stored with the log of its deploy; a retry stores the log of its own build in the same place.
 */
export interface KeptBuildLog {
  /** Name of the build. */
  build: string
  log: BuildLog
}

/** Keys of the build log in the log object of the attempt. */
export const buildLogKeys = { of: 'build-log-of', clone: 'build-log-clone', build: 'build-log-build' } as const

export const sectionTitles = { clone: 'Clone', build: 'Build', push: 'Push' } as const
export type BuildSection = keyof typeof sectionTitles

export interface SectionLine extends StampedLine {
  section: BuildSection
}

/** The first line of a step that pushes the image or its cache, or logs in for that. */
const pushes = /^#(\d+) (?:exporting|pushing) |^#(\d+) \[auth\] .*push/
const step = /^#(\d+) /
/** The phases of buildpacks, of which the last one pushes. */
const phase = /^===> ([A-Z]+)$/
/** The last line of the script. */
const done = /^pushed \S+@sha256:/

/** Returns a function that takes the lines of a build in order and finds the section of each. */
export function createSections(): (container: LogContainer, raw: string) => SectionLine {
  const pushing = new Set<string>()
  let current: BuildSection = 'build'
  return (container, raw) => {
    const { t, line } = stampedLine(raw)
    if (container === 'clone') return { t, line, section: 'clone' }
    const [, exporting, login] = pushes.exec(line) ?? []
    const begun = exporting ?? login
    if (begun !== undefined) pushing.add(begun)
    const number = step.exec(line)?.[1]
    const named = phase.exec(line)?.[1]
    if (done.test(line) || named === 'EXPORTING') current = 'push'
    else if (named !== undefined) current = 'build'
    else if (number !== undefined) current = pushing.has(number) ? 'push' : 'build'
    return { t, line, section: current }
  }
}

/** The sections that have lines, without the times of the lines. */
export function sectionsOf(log: BuildLog): { id: BuildSection; title: string; lines: string[] }[] {
  const sectionOf = createSections()
  const lines = logContainers.flatMap((container) => (log[container] ?? []).map((raw) => sectionOf(container, raw)))
  return (Object.keys(sectionTitles) as BuildSection[]).flatMap((id) => {
    const own = lines.filter(({ section }) => section === id).map(({ line }) => line)
    return own.length === 0 ? [] : [{ id, title: sectionTitles[id], lines: own }]
  })
}
