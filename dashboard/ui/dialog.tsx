/** Dialogs: focus goes in and comes back to where it was; Escape and a click outside close them. */
import { Dialog as Base } from '@base-ui/react/dialog'
import { X } from 'lucide-react'
import { useEffect, useRef, type ReactNode } from 'react'

interface Props {
  readonly open: boolean
  readonly onClose: () => void
  readonly title: string
  readonly children: ReactNode
  readonly wide?: boolean
  /** Without a way out: what it asks for has to be given. */
  readonly firm?: boolean
}

export function Dialog({ open, onClose, title, children, wide = false, firm = false }: Props) {
  const opener = useOpener(open)
  return (
    <Base.Root open={open} onOpenChange={(next) => !next && !firm && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="fixed inset-0 z-40 bg-black/40" />
        <Base.Popup
          finalFocus={() => returnOf(opener.current)}
          className={`fixed top-[12vh] left-1/2 z-50 max-h-[80vh] w-[calc(100vw-2rem)] -translate-x-1/2 overflow-y-auto rounded-lg border border-line bg-raised p-5 shadow-xl ${wide ? 'max-w-2xl' : 'max-w-md'}`}
        >
          <div className="mb-3 flex items-start justify-between gap-3">
            <Base.Title className="text-lg font-semibold">{title}</Base.Title>
            {!firm && (
              <Base.Close aria-label="Close" className="rounded p-1 text-muted hover:bg-hover hover:text-ink">
                <X size={16} aria-hidden />
              </Base.Close>
            )}
          </div>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  )
}

/** Where the focus goes back to: nowhere, where the page that came has taken it, or where the opener is gone. */
function returnOf(opener: HTMLElement | null): HTMLElement | false {
  const at = document.activeElement
  const isTaken = at !== null && at !== document.body && at.closest('[role="dialog"]') === null
  return !isTaken && opener?.isConnected === true ? opener : false
}

/** What had the focus before a field of the dialog took it while it was drawn. */
function useOpener(open: boolean) {
  const opener = useRef<HTMLElement>(null)
  const wasOpen = useRef(false)
  if (open && !wasOpen.current && document.activeElement instanceof HTMLElement) opener.current = document.activeElement
  useEffect(() => {
    wasOpen.current = open
  }, [open])
  return opener
}
