/** A secret that is shown on request and hidden again by itself; no cache of the page holds it. */
import { useEffect, useState } from 'react'
import { sentenceOf } from '../data/api.ts'

const shownMs = 60_000

export interface Revealed<Value> {
  /** Undefined while it is hidden. */
  readonly value: Value | undefined
  /** Why it could not be shown. */
  readonly failed: string | undefined
  readonly reveal: () => Promise<void>
  readonly show: (value: Value) => void
  readonly hide: () => void
}

export function useRevealed<Value>(read: () => Promise<Value>): Revealed<Value> {
  const [value, setValue] = useState<Value>()
  const [failed, setFailed] = useState<string>()
  useEffect(() => {
    if (value === undefined) return undefined
    const timer = setTimeout(() => setValue(undefined), shownMs)
    return () => clearTimeout(timer)
  }, [value])
  return {
    value,
    failed,
    async reveal() {
      setFailed(undefined)
      try {
        setValue(await read())
      } catch (error) {
        setFailed(sentenceOf(error))
      }
    },
    show: setValue,
    hide: () => setValue(undefined),
  }
}
