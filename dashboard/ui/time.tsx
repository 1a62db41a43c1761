/** Times: relative, ticking, with the exact one to see and to copy. */
import { durationText, useNow } from '../data/clock.ts'

const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })

export const exactTime = (at: string): string => exact.format(new Date(at))

/** `3 min ago`; nothing for a time that is not known. */
export function Ago({ at }: { at: string | undefined }) {
  const now = useNow()
  if (at === undefined || at === '') return <span className="text-muted">unknown</span>
  const ms = now - Date.parse(at)
  return (
    <time dateTime={at} title={exactTime(at)} className="tabular-nums">
      {ms < 5000 ? 'just now' : `${durationText(ms)} ago`}
    </time>
  )
}

/** How long something took, or takes until now. */
export function Lasting({ from, to }: { from: string; to?: string | undefined }) {
  const now = useNow()
  return (
    <span className="tabular-nums" title={`${exactTime(from)} to ${to === undefined ? 'now' : exactTime(to)}`}>
      {durationText((to === undefined ? now : Date.parse(to)) - Date.parse(from))}
    </span>
  )
}

/** After the sentence of a state; nothing where it is not known. */
export const Since = ({ at }: { at: string | undefined }) =>
  at === undefined ? null : (
    <span className="text-muted">
      For <Lasting from={at} />.
    </span>
  )
