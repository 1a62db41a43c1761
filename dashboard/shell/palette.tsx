/** The palette: every page, project, service, database and bucket, and what may be done, by a few letters. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useDeferredValue, useId, useMemo, useState, type KeyboardEvent } from 'react'
import { sentenceOf } from '../data/api.ts'
import { Dialog } from '../ui/dialog.tsx'
import { inputClass } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { actionWords } from './actions.ts'
import { useFindable, type Entry, type Findable } from './entries.ts'

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
  const findable = useFindable()
  const { go, doing, refused, forget } = useGo(onClose)
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const list = useId()
  const wanted = useDeferredValue(text)
  const found = useMemo(() => matching(findable, wanted), [findable, wanted])
  const chosen = found[Math.min(at, found.length - 1)]
  const onKey = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setAt((before) => Math.max(0, Math.min(found.length - 1, before + step)))
    } else if (event.key === 'Enter') {
      // What is shown may be of fewer letters than were typed.
      go(wanted === text ? chosen : matching(findable, text)[0])
    }
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
        placeholder="Name of a resource, a page or an action"
        autoComplete="off"
        className={`${inputClass} h-9`}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
          forget()
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
            <span className="shrink-0 text-xs text-muted">{entry.key === doing ? 'Under way' : entry.kind}</span>
          </li>
        ))}
      </ul>
      {refused !== null && <Notice kind="failed">{sentenceOf(refused)}</Notice>}
      {found.length === 0 && <p className="px-2 py-3 text-sm text-muted">Nothing has these letters in its name.</p>}
    </div>
  )
}

/** Goes to the page of an entry, once what it does was taken in; a refusal stays with the list. */
function useGo(onClose: () => void) {
  const navigate = useNavigate()
  const client = useQueryClient()
  const act = useMutation({
    mutationFn: async ({ run }: Entry) => run?.(),
    retry: false,
    networkMode: 'always',
    onSuccess: (_answer, { to }) => {
      void client.invalidateQueries({ refetchType: 'active' })
      onClose()
      void navigate(to)
    },
  })
  return {
    go: (entry: Entry | undefined) => {
      if (entry === undefined || act.isPending) return
      if (entry.run !== undefined) return act.mutate(entry)
      onClose()
      void navigate(entry.to)
    },
    doing: act.isPending ? act.variables.key : undefined,
    refused: act.error,
    forget: () => {
      if (act.isError) act.reset()
    },
  }
}

/** What has every word of the text: what begins with it first, then the others, then actions. */
function matching({ entries, actions }: Findable, text: string): Entry[] {
  const wanted = text.trim().toLowerCase()
  const words = wanted.split(/\s+/)
  const has = ({ key }: Entry) => words.every((word) => key.includes(word))
  const found = Map.groupBy(entries.filter(has), ({ key }) => key.startsWith(wanted))
  const shown = [...(found.get(true) ?? []), ...(found.get(false) ?? [])].slice(0, shownMax)
  for (const { key, entries: make } of actions) {
    if (shown.length >= shownMax) break
    if (words.every((word) => key.includes(word) || actionWords.includes(word))) shown.push(...make().filter(has))
  }
  return shown.slice(0, shownMax)
}
