/** The stages of a deploy that has a build, and the steps of the build, out of the log of the deploy. */

/** A section of the log of a deploy. */
interface Section {
  readonly id: string
  readonly title: string
  readonly lines: readonly string[]
}

/** `stopped`: it neither ended nor goes on. */
export type StageState = 'ready' | 'pending' | 'failed' | 'cached' | 'stopped'

/** One step of BuildKit. */
export interface BuildStep {
  readonly number: number
  readonly title: string
  readonly state: StageState
  readonly seconds?: number
  readonly lines: readonly string[]
}

export interface Stage {
  readonly id: string
  readonly title: string
  readonly state: StageState
  /** Left out where the log of the deploy does not say when it began. */
  readonly from?: string
  readonly to?: string
  readonly steps: readonly BuildStep[]
  /** What belongs to no step. */
  readonly lines: readonly string[]
}

/**
 * In the order of their work, each with what the log of the deploy says while it goes on: of a push nothing, which is
 * part of the same command as the build.
 */
const stages: readonly { id: string; title: string; says?: RegExp }[] = [
  { id: 'ci', title: 'Checks', says: /checks|git host/ },
  { id: 'clone', title: 'Clone', says: /^fetching/ },
  { id: 'build', title: 'Build', says: /^building/ },
  { id: 'push', title: 'Push' },
]

/** A step of the deploy. */
export interface Said {
  readonly at: string
  readonly text: string
}

/** Empty for a deploy without a build. `steps` are those of the deploy, in the order of time. */
export function stagesOf(sections: readonly Section[], steps: readonly Said[]): Stage[] {
  const found = stages.flatMap(({ id, title, says }) => {
    const section = sections.find((each) => each.id === id)
    const first = steps.findIndex(({ text }) => isOf(says, text))
    return section === undefined && first < 0 ? [] : [{ id, title, says, first, lines: section?.lines ?? [] }]
  })
  const end = endOf(steps)
  return found.map(({ id, title, says, first, lines }, index) => {
    const state = index < found.length - 1 ? 'ready' : end
    const next = steps.slice(first).find(({ text }) => !isOf(says, text))
    const from = steps[first]?.at
    return {
      ...{ id, title, state, ...(id === 'build' || id === 'push' ? withSteps(lines, state) : { steps: [], lines }) },
      ...(from === undefined ? {} : { from, ...(next === undefined ? {} : { to: next.at }) }),
    }
  })
}

/** `build web-7f3ka: fetching the repository` */
const afterBuildName = (text: string): string | undefined => /^build \S+: (.*)$/.exec(text)?.[1]

const isOf = (says: RegExp | undefined, text: string): boolean => says?.test(afterBuildName(text) ?? '') === true

/** How the build ended, as far as its deploy says. */
function endOf(steps: readonly Said[]): StageState {
  if (steps.some(({ text }) => text.startsWith('image ') || text.startsWith('Succeeded:'))) return 'ready'
  return steps.some(({ text }) => text.startsWith('Failed:')) ? 'failed' : 'pending'
}

interface OpenStep {
  number: number
  title: string
  state?: StageState
  seconds?: number
  lines: string[]
}

/** `#6 [2/3] RUN npm ci`, its output, and `#6 DONE 3.2s`; the lines of several steps alternate. */
function withSteps(all: readonly string[], stage: StageState): Pick<Stage, 'steps' | 'lines'> {
  const steps = new Map<number, OpenStep>()
  const lines: string[] = []
  for (const line of all) {
    const [, number, text] = /^#(\d+) (.*)$/.exec(line) ?? []
    if (number === undefined || text === undefined) {
      if (line !== '') lines.push(line)
      continue
    }
    const step = steps.get(Number(number))
    if (step === undefined) steps.set(Number(number), { number: Number(number), title: text, lines: [] })
    else takeIn(step, text)
  }
  const unended = stage === 'pending' ? 'pending' : 'stopped'
  return { steps: [...steps.values()].map((step) => ({ ...step, state: step.state ?? unended })), lines }
}

function takeIn(step: OpenStep, text: string): void {
  const [, seconds] = /^DONE ([\d.]+)s$/.exec(text) ?? []
  if (seconds !== undefined) {
    step.state ??= 'ready'
    step.seconds = Number(seconds)
  } else if (text === 'CACHED') step.state = 'cached'
  else if (text === 'CANCELED') step.state = 'stopped'
  else if (text !== '...' && text !== step.title) step.lines.push(text)
  if (text.startsWith('ERROR: ')) step.state = 'failed'
}
