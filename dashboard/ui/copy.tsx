/** Copying: from a button that says when it is done. */
import { Check, Copy } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'

const shownMs = 1500

/** The clipboard needs a secure context; without one the old way still works. */
async function copyText(text: string, near: HTMLElement): Promise<void> {
  if (window.isSecureContext) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  // Within an open dialog: focus may not leave it.
  near.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
  near.focus()
}

interface CopyProps {
  /** The copied text; a function for a long one that is made on demand. */
  readonly text: string | (() => string)
  readonly what: string
}

export function CopyButton({ text, what }: CopyProps) {
  const [done, setDone] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (!done) return undefined
    const timer = setTimeout(() => setDone(false), shownMs)
    return () => clearTimeout(timer)
  }, [done])
  return (
    <button
      ref={button}
      type="button"
      aria-label={done ? `Copied ${what}` : `Copy ${what}`}
      title={`Copy ${what}`}
      className="inline-flex size-6 shrink-0 items-center justify-center rounded text-muted hover:bg-hover hover:text-ink"
      onClick={() => {
        const wanted = typeof text === 'string' ? text : text()
        if (button.current !== null) void copyText(wanted, button.current).then(() => setDone(true))
      }}
    >
      {done ? <Check size={14} aria-hidden className="text-ready" /> : <Copy size={14} aria-hidden />}
    </button>
  )
}

/** A value in the font of machines, with its button; `whole` where its end matters as much as its beginning. */
export function Copyable({ text, what, whole = false }: { text: string; what: string; whole?: boolean }) {
  return (
    <span className="inline-flex max-w-full min-w-0 items-center gap-1">
      <code className={`${whole ? 'min-w-0 wrap-anywhere' : 'truncate'} font-mono text-xs`}>{text}</code>
      <CopyButton text={text} what={what} />
    </span>
  )
}
