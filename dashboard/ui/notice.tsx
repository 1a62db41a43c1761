/** Sentences in boxes: refusals, warnings, what is empty and what to do about it. */
import { CircleAlert, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'

export type NoticeKind = 'failed' | 'warning' | 'info'

const looks = {
  failed: { icon: CircleAlert, class: 'bg-failed-tint text-failed border-failed/40' },
  warning: { icon: TriangleAlert, class: 'bg-warning-tint text-warning border-warning/40' },
  info: { icon: Info, class: 'bg-pending-tint text-pending border-pending/40' },
} as const

export function Notice({ kind, children, action }: { kind: NoticeKind; children: ReactNode; action?: ReactNode }) {
  const { icon: Icon, class: look } = looks[kind]
  return (
    <div
      role={kind === 'failed' ? 'alert' : 'status'}
      className={`flex flex-wrap items-center gap-2 rounded border px-3 py-2 text-sm ${look}`}
    >
      <Icon size={16} aria-hidden className="shrink-0" />
      <div className="min-w-0 flex-1 wrap-anywhere">{children}</div>
      {action}
    </div>
  )
}

/** What this is, why there is nothing of it, and one thing to do. */
export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <div className="flex flex-col items-start gap-2 rounded-lg border border-dashed border-line px-5 py-6">
      <p className="font-medium">{title}</p>
      {children !== undefined && <div className="max-w-prose text-sm text-muted">{children}</div>}
      {action !== undefined && <div className="mt-1">{action}</div>}
    </div>
  )
}

/** Instead of a value that the api leaves blank for this caller, which would read as if there were none. */
export const Hidden = () => <span className="text-muted">not shown to your role</span>

/** Instead of a form whose values the api leaves blank for this caller. */
export const SettingsHidden = () => (
  <Empty title="Not for your role">Only administrators see and change these settings.</Empty>
)

/** Lines of the height of what will be there. */
export function Skeleton({
  rows = 3,
  height = 36,
  label = 'Loading',
}: {
  rows?: number
  height?: number
  label?: string
}) {
  return (
    <div role="status" aria-label={label} className="flex flex-col gap-2">
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} className="shimmer" style={{ height: height - 8 }} />
      ))}
    </div>
  )
}
