/** The palette: every page, project, service, database and bucket, and what may be done, by a few letters. */
import { useNavigate } from '@tanstack/react-router'
import { useDeferredValue, useId, useMemo, useState, type KeyboardEvent } from 'react'
import { Dialog } from '../ui/dialog.tsx'
import { inputClass } from '../ui/field.tsx'
import { useEntries, type Entry } from './entries.ts'

const shownMax = 30

/** Built only while it is open: a closed one costs nothing. */
export function Palette({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog open={open} onClose={onClose} title="Search or do">
      {open && <Search onClose={onClose} />}
    </Dialog>
  )
}

function Search({ onClose }: { onClose: () => void }) {
  const entries = useEntries()
  const navigate = useNavigate()
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const list = useId()
  const wanted = useDeferredValue(text)
  const found = useMemo(() => matching(entries, wanted), [entries, wanted])
  const chosen = found[Math.min(at, found.length - 1)]
  const go = (entry: Entry | undefined) => {
    if (entry === undefined) return
    onClose()
    void navigate(entry.to)
  }
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setAt((before) => Math.max(0, Math.min(found.length - 1, before + step)))
    } else if (event.key === 'Enter') go(chosen)
  }
  return (
    <div className="flex flex-col gap-2">
      <input
        autoFocus
        role="combobox"
        aria-label="Search for a page, a resource or an action"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={chosen === undefined ? undefined : `${list}-${found.indexOf(chosen)}`}
        placeholder="Name of a resource or a page"
        autoComplete="off"
        className={`${inputClass} h-9`}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={onKey}
      />
      <ul id={list} role="listbox" aria-label="Found" className="max-h-[50vh] overflow-y-auto">
        {found.map((entry, index) => (
          <li
            key={entry.key}
            id={`${list}-${index}`}
            role="option"
            aria-selected={entry === chosen}
            className="flex cursor-default items-center justify-between gap-4 rounded px-2 py-1.5 text-sm aria-selected:bg-selected"
            onPointerMove={() => setAt(index)}
            onClick={() => go(entry)}
          >
            <span className="truncate">{entry.title}</span>
            <span className="shrink-0 text-xs text-muted">{entry.kind}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="px-2 py-3 text-sm text-muted">Nothing has these letters in its name.</p>}
    </div>
  )
}

/** What begins with the text comes first. */
function matching(entries: readonly Entry[], text: string): Entry[] {
  const wanted = text.trim().toLowerCase()
  const found = entries.filter(({ key }) => key.includes(wanted))
  const begins = found.filter(({ key }) => key.startsWith(wanted))
  return [...begins, ...found.filter((entry) => !begins.includes(entry))].slice(0, shownMax)
}
