/**
 * The log of a build: what its two containers write, as the lines of the sections that callers read. BuildKit numbers
 * its steps (`#6 exporting to image`), and the lines of steps that run at once are mixed; buildpacks name their phases
 * (`===> EXPORTING`).
 */
import { stampedLine, type StampedLine } from '../logs/log-line.ts'

/** In the order in which they run. */
export const logContainers = ['clone', 'build'] as const
export type LogContainer = (typeof logContainers)[number]

/** Lines by container, each with its RFC 3339 time in front. */
export type BuildLog = Readonly<Partial<Record<LogContainer, readonly string[]>>>

/** What is kept of it with the log of its deploy, where a retry puts the log of its own build in the same place. */
export interface KeptBuildLog {
  /** Name of the build. */
  build: string
  log: BuildLog
}

/** Where it is in the log object of the attempt. */
export const buildLogKeys = { of: 'build-log-of', clone: 'build-log-clone', build: 'build-log-build' } as const

export const sectionTitles = { clone: 'Clone', build: 'Build', push: 'Push' } as const
export type BuildSection = keyof typeof sectionTitles

export interface SectionLine extends StampedLine {
  section: BuildSection
}

/** The name of a step that brings the image or its cache to the registry, or the login for it. */
const pushes = /^#(\d+) (?:exporting|pushing) |^#(\d+) \[auth\] .*push/
const step = /^#(\d+) /
/** The phases of buildpacks, of which the last one pushes. */
const phase = /^===> ([A-Z]+)$/
/** What the script itself writes at the end. */
const done = /^pushed \S+@sha256:/

/** Reads the lines of a build in their order, and says of each in which section it is. */
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

/** The sections with a line, without the times of the lines. */
export function sectionsOf(log: BuildLog): { id: BuildSection; title: string; lines: string[] }[] {
  const sectionOf = createSections()
  const lines = logContainers.flatMap((container) => (log[container] ?? []).map((raw) => sectionOf(container, raw)))
  return (Object.keys(sectionTitles) as BuildSection[]).flatMap((id) => {
    const own = lines.filter(({ section }) => section === id).map(({ line }) => line)
    return own.length === 0 ? [] : [{ id, title: sectionTitles[id], lines: own }]
  })
}
