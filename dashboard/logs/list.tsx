/**
 * Lines of a log, of which only those on the screen are in the page; it follows its end until the reader scrolls up.
 */
import { useVirtualizer } from '@tanstack/react-virtual'
import { ArrowDown } from 'lucide-react'
import { useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'
import { Button } from '../ui/button.tsx'
import type { ShownLine } from './lines.ts'

const rowHeight = 20
/** So near to the end counts as at the end. */
const atEndPx = 40

const levelClass: Readonly<Record<string, string>> = {
  error: 'text-failed',
  fatal: 'text-failed',
  warn: 'text-warning',
  debug: 'text-muted',
}

interface Props {
  readonly lines: readonly ShownLine[]
  readonly follows: boolean
  /** Each line says of which service it is. */
  readonly services?: boolean | undefined
}

export function LogList({ lines, follows, services = false }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const [following, setFollowing] = useState(true)
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    overscan: 20,
    getItemKey: (index) => lines[index]?.serial ?? index,
  })
  const newest = lines.at(-1)?.serial
  const [seen, setSeen] = useState(newest ?? 0)
  useEffect(() => {
    if (!following || box.current === null) return
    box.current.scrollTop = box.current.scrollHeight
    setSeen(newest ?? 0)
  }, [following, newest])
  useSameTop(box, lines, following)
  const unseen = lines.length - placeOf(lines, seen + 1)
  return (
    <div className="relative">
      <div
        ref={box}
        role="log"
        aria-label="Lines of the log"
        aria-live="off"
        tabIndex={0}
        className="h-[60vh] overflow-auto rounded-lg border border-line bg-subtle font-mono text-xs leading-5"
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) =>
          setFollowing(scrollHeight - scrollTop - clientHeight < atEndPx)
        }
      >
        <div className="relative min-w-max" style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ key, index, start }) => {
            const line = lines[index]
            if (line === undefined) return null
            return (
              <div
                key={key}
                className="absolute top-0 left-0 flex gap-3 px-3 whitespace-pre hover:bg-hover"
                style={{ transform: `translateY(${start}px)`, height: rowHeight }}
              >
                {line.marker === true ? (
                  <span className="text-warning">── {line.line} ──</span>
                ) : (
                  <>
                    <time dateTime={line.t} title={`${line.t} ${line.pod}`} className="text-muted">
                      {`${line.t.slice(11, 23)}Z`}
                    </time>
                    {services && <span className="font-semibold text-accent">{line.service}</span>}
                    <span className="hidden text-muted md:inline" title={line.pod}>
                      {line.pod.slice(-5)}
                    </span>
                    <span className={levelClass[line.level] ?? ''}>{line.line}</span>
                  </>
                )}
              </div>
            )
          })}
        </div>
      </div>
      {follows && !following && (
        <div className="absolute right-4 bottom-4">
          <Button small kind="primary" onClick={() => setFollowing(true)}>
            <ArrowDown size={14} aria-hidden />{' '}
            {unseen > 0 ? `${unseen} new ${unseen === 1 ? 'line' : 'lines'}` : 'To the end'}
          </Button>
        </div>
      )}
    </div>
  )
}

/** Where the first line with this number or a later one is. */
function placeOf(lines: readonly ShownLine[], serial: number): number {
  let [low, high] = [0, lines.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((lines[middle]?.serial ?? serial) < serial) low = middle + 1
    else high = middle
  }
  return low
}

/** Older lines are dropped above what a reader looks at: the same line stays at the top of the box. */
function useSameTop(box: RefObject<HTMLDivElement | null>, lines: readonly ShownLine[], following: boolean): void {
  const shown = useRef(lines)
  useLayoutEffect(() => {
    const before = shown.current
    shown.current = lines
    if (following || box.current === null) return
    const place = Math.floor(box.current.scrollTop / rowHeight)
    const top = before[place]
    if (top !== undefined) box.current.scrollTop += (placeOf(lines, top.serial) - place) * rowHeight
  }, [box, lines, following])
}
