/** Shows the progress of an operation: one line that updates on a terminal, one line per change elsewhere. */
import { durationText } from '../output/value-text.ts'
import { plainLine, type Terminal } from '../session/terminal.ts'

interface Progress {
  /** How it is; shown when it changed. */
  report(text: string): void
  trouble(error: Error): void
  /** What began within it; the next change of how it is takes its place. */
  step(text: string): void
  /** Removes the updating line; later output replaces it. */
  end(): void
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const frameMs = 250

/** @param write prints whole lines without a terminal; with `--json` to standard error. */
export function showProgress(
  terminal: Terminal,
  live: boolean,
  now: () => number,
  write: (line: string) => void,
  first: string,
): Progress {
  const start = now()
  const elapsed = (): string => durationText(now() - start)
  const { show, end } = live ? updatingLine(terminal, elapsed, first) : linePerChange(write, elapsed)
  let last = ''
  const report = (text: string): void => {
    if (text !== last) show(text)
    last = text
  }
  return { report, trouble: (error) => report(`${error.message}; trying again`), step: show, end }
}

interface Shown {
  show(text: string): void
  end(): void
}

const linePerChange = (write: (line: string) => void, elapsed: () => string): Shown => ({
  show: (text) => write(`${elapsed().padStart(6)}  ${text}`),
  end: () => undefined,
})

function updatingLine(terminal: Terminal, elapsed: () => string, first: string): Shown {
  let text = first
  let frame = 0
  const draw = (): void => {
    frame = (frame + 1) % frames.length
    const line = `${frames[frame]} ${elapsed()}  ${plainLine(text)}`
    // Cut to the width: a wrapped line cannot be erased.
    terminal.raw(
      `\r\x1b[2K${Array.from(line)
        .slice(0, Math.max(10, terminal.columns() - 1))
        .join('')}`,
    )
  }
  const timer = setInterval(draw, frameMs)
  draw()
  return {
    show: (shown) => {
      text = shown
      draw()
    },
    end: () => {
      clearInterval(timer)
      terminal.raw('\r\x1b[2K')
    },
  }
}
