/** Shows a waiting person how a deploy goes: one line that updates on a terminal, one line per change elsewhere. */
import { describeDeploy } from '../client/deploy-verdict.ts'
import type { DeployStatus } from '../client/deploy-verdict.ts'
import { durationText } from './duration.ts'
import type { Terminal } from './terminal.ts'
import { plainText } from './terminal.ts'

export interface DeployProgress {
  status(status: DeployStatus, elapsedMs: number): void
  trouble(error: Error, elapsedMs: number): void
  /** Takes the updating line away; what is printed next stands in its place. */
  end(): void
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const frameMs = 250

/** @param write where whole lines go when nobody watches; with `--json` that is standard error. */
export function showDeployProgress(terminal: Terminal, live: boolean, now: () => number, write: (line: string) => void): DeployProgress {
  return live ? updatingLine(terminal, now) : linePerChange(write)
}

/** `rolling out  1/3 ready  waiting for copies: 1 of 3 available` */
export function progressText(status: DeployStatus): string {
  const { step, detail } = describeDeploy(status)
  const copies = status.sleeping === true ? 'sleeping' : `${status.replicas.ready}/${status.replicas.desired} ready`
  return [step, copies, plainText(detail).replaceAll('\n', ' ')].filter((part) => part !== '').join('  ')
}

function linePerChange(write: (line: string) => void): DeployProgress {
  let last = ''
  const tell = (text: string, elapsedMs: number): void => {
    if (text !== last) write(`${durationText(elapsedMs).padStart(6)}  ${text}`)
    last = text
  }
  return {
    status: (status, elapsedMs) => tell(progressText(status), elapsedMs),
    trouble: (error, elapsedMs) => tell(troubleText(error), elapsedMs),
    end: () => undefined,
  }
}

function updatingLine(terminal: Terminal, now: () => number): DeployProgress {
  const start = now()
  let text = 'deploy accepted'
  let frame = 0
  const draw = (): void => {
    frame = (frame + 1) % frames.length
    const line = `${frames[frame]} ${durationText(now() - start)}  ${text}`
    // Cut to the width: a line that wraps cannot be taken back.
    terminal.raw(
      `\r\x1b[2K${Array.from(line)
        .slice(0, Math.max(10, terminal.columns() - 1))
        .join('')}`,
    )
  }
  const timer = setInterval(draw, frameMs)
  draw()
  return {
    status: (status) => {
      text = progressText(status)
      draw()
    },
    trouble: (error) => {
      text = troubleText(error)
      draw()
    },
    end: () => {
      clearInterval(timer)
      terminal.raw('\r\x1b[2K')
    },
  }
}

const troubleText = (error: Error): string => `${plainText(error.message)}; trying again`
