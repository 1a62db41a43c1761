/** Shows the progress of an operation: one line that updates on a terminal, one line per change elsewhere. */
import { durationText } from '../output/value-text.ts'
import { plainText, type Terminal } from '../session/terminal.ts'

interface Progress {
  tell(text: string, elapsedMs: number): void
  trouble(error: Error, elapsedMs: number): void
  /** A line that stays. */
  line(text: string): void
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
  return live ? updatingLine(terminal, now, first) : linePerChange(write)
}

function linePerChange(write: (line: string) => void): Progress {
  let last = ''
  const tell = (text: string, elapsedMs: number): void => {
    if (text !== last) write(`${durationText(elapsedMs).padStart(6)}  ${text}`)
    last = text
  }
  const trouble = (error: Error, elapsedMs: number): void => tell(troubleText(error), elapsedMs)
  return { tell, trouble, line: write, end: () => undefined }
}

function updatingLine(terminal: Terminal, now: () => number, first: string): Progress {
  const start = now()
  let text = first
  let frame = 0
  const draw = (): void => {
    frame = (frame + 1) % frames.length
    const line = `${frames[frame]} ${durationText(now() - start)}  ${text}`
    // Cut to the width: a wrapped line cannot be erased.
    terminal.raw(
      `\r\x1b[2K${Array.from(line)
        .slice(0, Math.max(10, terminal.columns() - 1))
        .join('')}`,
    )
  }
  const tell = (told: string): void => {
    text = told
    draw()
  }
  const timer = setInterval(draw, frameMs)
  draw()
  return {
    tell,
    trouble: (error) => tell(troubleText(error)),
    line: (lasting) => {
      terminal.raw('\r\x1b[2K')
      terminal.line(lasting)
      draw()
    },
    end: () => {
      clearInterval(timer)
      terminal.raw('\r\x1b[2K')
    },
  }
}

const troubleText = (error: Error): string => `${plainText(error.message)}; trying again`
