/** The connections of services, drawn as lines below the cards of an environment. */
import { type RefObject, useEffect, useState } from 'react'
import type { View } from '../../contract/operations.ts'

type Connection = View<'projects.connections'>['items'][number]

/** Corners of a card, in pixels from the upper left corner of the board. */
interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** `Uses orders and mail`: the names of what each service is connected to, by the name of the service. */
export function usedBy(connections: readonly Connection[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  for (const { app, name } of connections) found.set(app, [...(found.get(app) ?? []), name])
  return found
}

/**
 * Lines between the elements of the board that have the names of the connections as `data-resource`; one that is not on
 * the page has no line. Those of the card under the pointer or with the focus stand out. What the lines say stands on
 * the cards in words, so they are hidden from assistive technology.
 */
export function ConnectionLines({
  board,
  connections,
}: {
  board: RefObject<HTMLDivElement | null>
  connections: readonly Connection[]
}) {
  const boxes = useBoxes(board)
  const active = useActive(board)
  return (
    <svg aria-hidden className="pointer-events-none absolute inset-0 -z-10 size-full overflow-visible">
      {connections.map(({ app, name }) => {
        const [from, to] = [boxes.get(app), boxes.get(name)]
        if (from === undefined || to === undefined) return null
        const standsOut = active === app || active === name
        return (
          <path
            key={`${app} ${name}`}
            d={curve(from, to)}
            fill="none"
            className={standsOut ? 'stroke-accent' : 'stroke-edge'}
            strokeWidth={standsOut ? 2 : 1.25}
            opacity={active === undefined || standsOut ? 1 : 0.3}
          />
        )
      })}
    </svg>
  )
}

/** Between facing edges: down or up where one card stands below the other, sideways within a row. */
function curve(from: Box, to: Box): string {
  const [fromX, toX] = [(from.left + from.right) / 2, (to.left + to.right) / 2]
  if (from.bottom <= to.top || to.bottom <= from.top) {
    const [startY, endY] = from.bottom <= to.top ? [from.bottom, to.top] : [from.top, to.bottom]
    const middle = (startY + endY) / 2
    return `M${fromX},${startY} C${fromX},${middle} ${toX},${middle} ${toX},${endY}`
  }
  const [startX, endX] = fromX < toX ? [from.right, to.left] : [from.left, to.right]
  const [startY, endY] = [(from.top + from.bottom) / 2, (to.top + to.bottom) / 2]
  return `M${startX},${startY} L${endX},${endY}`
}

/** Where the cards are, measured again whenever the board changes its size or what is on it. */
function useBoxes(board: RefObject<HTMLDivElement | null>): ReadonlyMap<string, Box> {
  const [boxes, setBoxes] = useState<ReadonlyMap<string, Box>>(new Map())
  useEffect(() => {
    const element = board.current
    if (element === null) return undefined
    const measure = (): void =>
      setBoxes((known) => {
        const found = boxesIn(element)
        return isSame(known, found) ? known : found
      })
    const sizes = new ResizeObserver(measure)
    sizes.observe(element)
    // The lines themselves change attributes, which is not observed.
    const contents = new MutationObserver(measure)
    contents.observe(element, { childList: true, subtree: true })
    return () => {
      sizes.disconnect()
      contents.disconnect()
    }
  }, [board])
  return boxes
}

function boxesIn(board: HTMLElement): ReadonlyMap<string, Box> {
  const origin = board.getBoundingClientRect()
  const found = new Map<string, Box>()
  for (const card of board.querySelectorAll<HTMLElement>('[data-resource]')) {
    const { left, top, right, bottom } = card.getBoundingClientRect()
    found.set(card.dataset['resource'] ?? '', {
      left: Math.round(left - origin.left),
      top: Math.round(top - origin.top),
      right: Math.round(right - origin.left),
      bottom: Math.round(bottom - origin.top),
    })
  }
  return found
}

const isSame = (one: ReadonlyMap<string, Box>, other: ReadonlyMap<string, Box>): boolean =>
  JSON.stringify([...one]) === JSON.stringify([...other])

/** The name of the card under the pointer or with the focus. */
function useActive(board: RefObject<HTMLDivElement | null>): string | undefined {
  const [active, setActive] = useState<string>()
  useEffect(() => {
    const element = board.current
    if (element === null) return undefined
    const enter = ({ target }: Event): void => setActive(target instanceof Element ? nameAt(target) : undefined)
    const leave = (): void => setActive(undefined)
    const listeners = [
      ['pointerover', enter],
      ['focusin', enter],
      ['pointerleave', leave],
      ['focusout', leave],
    ] as const
    for (const [type, listener] of listeners) element.addEventListener(type, listener)
    return () => {
      for (const [type, listener] of listeners) element.removeEventListener(type, listener)
    }
  }, [board])
  return active
}

const nameAt = (target: Element): string | undefined =>
  target.closest<HTMLElement>('[data-resource]')?.dataset['resource']
