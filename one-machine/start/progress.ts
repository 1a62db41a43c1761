/** Shows the steps of a start: one updating line on a terminal, plain lines elsewhere. */

const redrawMs = 250
/** Without a terminal: the longest time without output while a step runs. */
const silenceMs = 10_000

export interface Step {
  /** Sets the current detail of the step. */
  report(detail: string): void
  /** Ends the step with a permanent line such as `cluster: 2 simulated nodes (3.1 s)`. */
  done(result: string): void
}

export interface Progress {
  /** Begins a step; steps may overlap. A background step prints no waiting lines. */
  begin(name: string, where?: 'background'): Step
  /** A permanent line. */
  say(line: string): void
  /** Discards open steps and clears the updating line. */
  close(): void
}

export interface Terminal {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

interface Open {
  readonly name: string
  readonly since: number
  readonly where: 'background' | undefined
  detail: string
}

/** In a log, a line that differs from the last one only in numbers is not worth repeating. */
function withoutNumbers(text: string): string {
  return text.replaceAll(/\d+(\.\d+)?( (s|min))?/g, '#')
}

export function createProgress(terminal: Terminal, now: () => number): Progress {
  const open = new Set<Open>()
  let timer: NodeJS.Timeout | undefined
  let saidAt = now()
  let drawn = false

  const seconds = (since: number): string => ((now() - since) / 1000).toFixed(1)
  const describe = ({ name, since, detail }: Open): string =>
    `${name} ${Math.floor((now() - since) / 1000)} s${detail === '' ? '' : `: ${detail}`}`
  const clear = (): void => {
    if (drawn) terminal.write('\r\u001b[2K')
    drawn = false
  }
  const say = (line: string): void => {
    clear()
    terminal.write(`${line}\n`)
    saidAt = now()
  }
  const awaited = (): Open[] => [...open].filter(({ where }) => where === undefined)
  const waiting = (): string =>
    awaited().length > 0
      ? `waiting for ${awaited().map(describe).join(', ')}`
      : `making ${[...open].map(describe).join(', ')}`
  const redraw = (): void => {
    if (!terminal.isTTY) {
      if (awaited().length > 0 && now() - saidAt >= silenceMs) say(`  ${waiting()}`)
      return
    }
    clear()
    if (open.size === 0) return
    terminal.write(`  ${waiting()}`.slice(0, Math.max(20, (terminal.columns ?? 80) - 1)))
    drawn = true
  }
  const stopWhenIdle = (): void => {
    if (open.size > 0) return
    clearInterval(timer)
    timer = undefined
  }

  return {
    say,
    begin(name, where) {
      const step: Open = { name, since: now(), where, detail: '' }
      open.add(step)
      timer ??= setInterval(redraw, redrawMs)
      return {
        report(detail) {
          const isNew = withoutNumbers(detail) !== withoutNumbers(step.detail)
          step.detail = detail
          if (isNew && !terminal.isTTY) say(`  ${name}: ${detail}`)
        },
        done(result) {
          if (!open.delete(step)) return // closed meanwhile: the start is being stopped
          stopWhenIdle()
          say(`  ${name}: ${result} (${seconds(step.since)} s)`)
        },
      }
    },
    close() {
      open.clear()
      stopWhenIdle()
      clear()
    },
  }
}
