/** Buttons: one primary on a page; what a role or a state forbids stays focusable and says why. */
import type { ButtonHTMLAttributes, ReactNode } from 'react'

export type ButtonKind = 'primary' | 'plain' | 'danger' | 'quiet'

const looks: Readonly<Record<ButtonKind, string>> = {
  primary: 'bg-accent text-on-accent border-accent hover:opacity-90',
  plain: 'bg-raised text-ink border-edge hover:bg-hover',
  danger: 'bg-raised text-failed border-failed hover:bg-failed-tint',
  quiet: 'border-transparent text-muted hover:bg-hover hover:text-ink',
}

/** What a link looks like that stands where a button would. */
export const buttonClass = (kind: ButtonKind = 'plain', small = false): string =>
  `inline-flex items-center justify-center gap-1.5 rounded border font-medium whitespace-nowrap transition-colors ${
    small ? 'h-7 px-2 text-xs' : 'h-8 px-3 text-sm'
  } ${looks[kind]}`

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly kind?: ButtonKind
  readonly small?: boolean
  /** Why it cannot be pressed now. */
  readonly why?: string | undefined
  /** Whether what it started goes on. A button that says so takes a double click for one. */
  readonly busy?: boolean
  readonly children: ReactNode
}

export function Button({ kind = 'plain', small = false, why, busy, onClick, children, ...rest }: Props) {
  const off = why !== undefined || busy === true
  return (
    <button
      type="button"
      {...rest}
      className={`${buttonClass(kind, small)} ${off ? 'opacity-60' : ''} ${rest.className ?? ''}`}
      aria-disabled={off || undefined}
      aria-busy={busy === true || undefined}
      title={why ?? rest.title}
      onClick={(event) => {
        // The second click can come before the page is drawn again, and after a quick answer as well.
        const isSecond = busy !== undefined && event.detail > 1
        if (off || isSecond) event.preventDefault()
        else onClick?.(event)
      }}
    >
      {children}
    </button>
  )
}
