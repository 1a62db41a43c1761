/**
 * Focus that is not lost: where what had it is taken off the page, such as the row of a token that was revoked, the row
 * in its place gets it, else the heading of its panel, else that of the page.
 */

const focusable = 'a[href], button, input, select, textarea, summary, [tabindex="0"]'

/** Where the focus was on the page, dialogs aside. */
interface Spot {
  readonly element: Element
  /** The list or table that its row is in. */
  readonly list: Element | undefined
  /** Indices of the row among the rows, and of the element within it. */
  readonly row: number
  readonly within: number
  readonly panel: Element | null
}

/** Moves focus that is lost on the page, until the returned function is called. */
export function keepFocus(page: HTMLElement): () => void {
  let spot: Spot | undefined
  let check: ReturnType<typeof setTimeout> | undefined
  const onFocus = ({ target }: FocusEvent) => {
    if (target instanceof Element) spot = spotOf(target)
  }
  // A click beside every control gives the focus up: it is not lost.
  const onPointer = ({ target }: PointerEvent) => {
    if (target instanceof Element && target.closest(focusable) === null && target.closest('[role="dialog"]') === null)
      spot = undefined
  }
  const look = () => {
    check = undefined
    if (spot === undefined || spot.element.isConnected || !isNowhere()) return
    const target = successorOf(spot) ?? headingOf(spot.panel) ?? headingOf(page)
    if (target !== undefined) focusOn(target)
  }
  // What closes a dialog brings the focus back by itself, and a little later.
  const seen = new MutationObserver(() => {
    if (spot?.element.isConnected === false) check ??= setTimeout(look, 0)
  })
  page.addEventListener('focusin', onFocus)
  document.addEventListener('pointerdown', onPointer)
  seen.observe(document.body, { childList: true, subtree: true })
  return () => {
    page.removeEventListener('focusin', onFocus)
    document.removeEventListener('pointerdown', onPointer)
    seen.disconnect()
    clearTimeout(check)
  }
}

function spotOf(element: Element): Spot {
  const row = element.closest('tr, li, [role="listitem"]')
  const list = row?.parentElement ?? undefined
  return {
    element,
    list,
    row: row === null ? 0 : [...(list?.children ?? [])].indexOf(row),
    within: row === null ? 0 : [...row.querySelectorAll(focusable)].indexOf(element),
    panel: element.closest('section'),
  }
}

const isNowhere = (): boolean => document.activeElement === null || document.activeElement === document.body

/** The same place in the row that is there now: the next one, or the last. */
function successorOf({ list, row, within }: Spot): HTMLElement | undefined {
  const rows = list?.isConnected === true ? [...list.children] : []
  const found = rows[Math.min(row, rows.length - 1)]?.querySelectorAll<HTMLElement>(focusable) ?? []
  return found[Math.min(within, found.length - 1)]
}

function headingOf(part: Element | null): HTMLElement | undefined {
  const heading = part?.isConnected === true ? part.querySelector<HTMLElement>('h1, h2, h3') : null
  return heading ?? undefined
}

function focusOn(target: HTMLElement): void {
  if (target.matches('h1, h2, h3')) target.tabIndex = -1
  target.focus({ preventScroll: true })
}
