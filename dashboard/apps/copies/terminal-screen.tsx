/** The emulator of a terminal, joined with the copy by a WebSocket (docs/reference/terminals.md#frames). */
import { FitAddon } from '@xterm/addon-fit'
import { Terminal } from '@xterm/xterm'
import { useEffect, useRef, useState } from 'react'
import {
  frameOf,
  resizeFrame,
  terminalChannels,
  terminalEndOf,
  terminalProtocol,
  type TerminalEnd,
} from '../../../contract/views/terminal-frames.ts'
import { socketAddress } from '../../data/api.ts'
import { openWithoutInlineStyles } from './terminal-styles.ts'

/** Dark in either theme: programs choose their colours for a dark terminal. */
const theme = { background: '#0f1217', foreground: '#e8ebf0', cursor: '#e8ebf0', selectionBackground: '#3b4a66' }
const scrollback = 5000
/** A paste goes in pieces; one message may have 128 KiB. */
const pieceBytes = 32 * 1024
/** A browser cannot make the server wait. What the screen has not taken by then is left out. */
const waitingBytes = 8 * 1024 * 1024

interface Props {
  readonly app: string
  readonly pod: string
  /** Called once, with a sentence. */
  readonly onEnd: (sentence: string) => void
}

export function TerminalScreen({ app, pod, onEnd }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const notifyEnd = useRef(onEnd)
  notifyEnd.current = onEnd
  const [opened, setOpened] = useState(false)
  useEffect(() => {
    if (box.current === null) return undefined
    return join(
      box.current,
      { app, pod },
      () => setOpened(true),
      (sentence) => notifyEnd.current(sentence),
    )
  }, [app, pod])
  return (
    <>
      <p role="status" className="text-xs text-muted">
        {opened ? `In ${pod}. Shift-Tab leaves the terminal.` : 'Connecting'}
      </p>
      <section aria-label="Terminal" className="overflow-hidden rounded border border-line bg-[#0f1217] p-2">
        <div ref={box} className="h-[60vh] min-h-60" />
      </section>
    </>
  )
}

/** Runs until the returned function is called, or the connection ends. */
function join(
  box: HTMLElement,
  { app, pod }: Pick<Props, 'app' | 'pod'>,
  onOpen: () => void,
  onEnd: (sentence: string) => void,
): () => void {
  const terminal = new Terminal({ theme, scrollback, fontSize: 13, fontFamily: fontOf(box), allowTransparency: false })
  const fit = new FitAddon()
  terminal.loadAddon(fit)
  openWithoutInlineStyles(terminal, box)
  const socket = new WebSocket(socketAddress('apps.console', { app, pod }), terminalProtocol)
  socket.binaryType = 'arraybuffer'
  const send = (frame: Uint8Array<ArrayBuffer>) => {
    if (socket.readyState === WebSocket.OPEN) socket.send(frame)
  }
  let end: TerminalEnd | undefined
  let left = false
  const show = createShow(terminal)
  socket.addEventListener('open', () => {
    onOpen()
    fit.fit()
    send(resizeFrame(terminal.cols, terminal.rows))
    terminal.focus()
  })
  socket.addEventListener('message', ({ data }: MessageEvent<ArrayBuffer>) => {
    const frame = new Uint8Array(data)
    end ??= terminalEndOf(frame)
    if (frame[0] === terminalChannels.stdout || frame[0] === terminalChannels.stderr) show(frame.subarray(1))
  })
  socket.addEventListener('close', ({ code, reason }) => {
    terminal.options.disableStdin = true
    if (!left) onEnd(sentenceOf(end, code, reason))
  })
  terminal.onData((text) => {
    const bytes = new TextEncoder().encode(text)
    for (let at = 0; at < bytes.length; at += pieceBytes)
      send(frameOf(terminalChannels.stdin, bytes.subarray(at, at + pieceBytes)))
  })
  terminal.onResize(({ cols, rows }) => send(resizeFrame(cols, rows)))
  // The one key that the copy never gets: without it the keyboard could not leave the terminal.
  terminal.attachCustomKeyEventHandler(({ key, shiftKey }) => !(key === 'Tab' && shiftKey))
  const size = new ResizeObserver(() => fit.fit())
  size.observe(box)
  return () => {
    left = true
    size.disconnect()
    socket.close()
    terminal.dispose()
  }
}

const fontOf = (box: HTMLElement): string => getComputedStyle(box).getPropertyValue('--font-mono') || 'monospace'

/** Writes to the screen, and says so where something was left out. */
function createShow(terminal: Terminal): (bytes: Uint8Array) => void {
  let waiting = 0
  let leftOut = 0
  return (bytes) => {
    if (waiting > waitingBytes) {
      leftOut += bytes.length
      return
    }
    if (leftOut > 0) terminal.write(`\r\n[${leftOut} bytes came too fast for this page and are left out]\r\n`)
    leftOut = 0
    waiting += bytes.length
    terminal.write(bytes, () => (waiting -= bytes.length))
  }
}

/** A browser does not tell why a handshake was refused: the code is 1006 then, without a reason. */
function sentenceOf(end: TerminalEnd | undefined, code: number, reason: string): string {
  if (end !== undefined)
    return 'failure' in end ? `It ended: ${end.failure}` : `It ended with exit code ${end.exitCode}.`
  if (reason !== '') return `It was closed: ${reason}.`
  return code === 1006
    ? 'No connection: the copy is gone, you have too many terminals open, or svc cannot be reached.'
    : 'The connection was closed.'
}
