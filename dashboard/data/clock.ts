/** One clock for the page, so that all durations tick together; it rests while the page is hidden. */
import { useSyncExternalStore } from 'react'

let now = Date.now()
let timer: ReturnType<typeof setInterval> | undefined
const listeners = new Set<() => void>()

function tick(): void {
  now = Date.now()
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  // Nothing ticked while no duration was on the page.
  if (timer === undefined) now = Date.now()
  timer ??= setInterval(() => {
    if (document.visibilityState === 'visible') tick()
  }, 1000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** Milliseconds since the epoch, new every second. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

const units: readonly (readonly [suffix: string, seconds: number])[] = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
  ['s', 1],
]

/** `3 d 4 h`, `12 min`, `8 s`: the two largest units, the second one only where it says something. */
export function durationText(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  const at = units.findIndex(([, size]) => seconds >= size)
  const [suffix = 's', size = 1] = units[at === -1 ? units.length - 1 : at] ?? []
  const whole = Math.floor(seconds / size)
  const [nextSuffix, nextSize = 1] = units[at + 1] ?? []
  const rest = Math.floor((seconds % size) / nextSize)
  return nextSuffix === undefined || rest === 0 || whole >= 10
    ? `${whole} ${suffix}`
    : `${whole} ${suffix} ${rest} ${nextSuffix}`
}
