/** Whether the change stream reported a write of one's own: what it concerns is then read once, not twice. */
import type { Change } from './stale.ts'
import { isFollowed } from './stream-state.ts'

/** The first change after a pause is sent at once, and may come before the answer to the write that made it. */
const justNowMs = 40
/** Within this it comes, at the latest: bursts are held together for 250 ms. */
const lateMs = 350

let recent: readonly { readonly key: string; readonly at: number }[] = []
const awaited = new Map<string, Set<() => void>>()

const changeKey = ({ resource, name }: Change): string => (resource === 'resources' ? resource : `${resource}/${name}`)
const isJustNow = ({ at }: { at: number }): boolean => Date.now() - at < justNowMs

export function noteReported(change: Change): void {
  const key = changeKey(change)
  recent = [...recent.filter(isJustNow), { key, at: Date.now() }]
  for (const report of awaited.get(key) ?? []) report()
}

/** Resolves once the stream has reported the change, or with false where it has not in time. */
export async function awaitReport(change: Change): Promise<boolean> {
  // While the stream is lost nothing is waited for.
  if (!isFollowed()) return false
  const key = changeKey(change)
  if (recent.some((each) => each.key === key && isJustNow(each))) return true
  const waiting = awaited.get(key) ?? new Set()
  awaited.set(key, waiting)
  let report = () => undefined as void
  const isReported = await new Promise<boolean>((resolve) => {
    report = () => resolve(true)
    waiting.add(report)
    setTimeout(() => resolve(false), lateMs)
  })
  waiting.delete(report)
  if (waiting.size === 0) awaited.delete(key)
  return isReported
}
