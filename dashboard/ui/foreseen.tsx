/** What a change of placement would bring about, before it is saved: which copies move, and which find no node. */
import { useEffect, useState } from 'react'
import type { ParamsInput } from '../../contract/operations.ts'
import { sentenceOf } from '../data/api.ts'
import { useRead } from '../data/queries.ts'
import { Notice } from './notice.tsx'

type Asked = 'nodes.placement-warnings' | 'projects.placement-warnings'

/** The fields of the form are those of the operation that judges them. */
export function Foreseen<Id extends Asked>({ of, params }: { of: Id; params: Record<string, unknown> }) {
  const debounced = useDebounced(params)
  const { data, error, isPlaceholderData } = useRead<Asked>(of, debounced as ParamsInput<Id>, { keep: true })
  const sentences = [...(data !== undefined && 'refused' in data ? [data.refused] : []), ...(data?.warnings ?? [])]
  return (
    <div aria-busy={isPlaceholderData} className="flex flex-col gap-2">
      {error !== null && <Notice kind="info">What this would move is not known: {sentenceOf(error)}.</Notice>}
      {sentences.map((sentence) => (
        <Notice key={sentence} kind="warning">
          Before you save: {sentence}.
        </Notice>
      ))}
      {data !== undefined && sentences.length === 0 && (
        <p role="status" className="text-xs text-muted">
          Nothing that runs would move or be left without a node.
        </p>
      )}
    </div>
  )
}

/** Long enough that not each letter is asked about. */
const debounceMs = 250

/** The value, once it has not changed for a moment. */
function useDebounced(value: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(value)
  const [debounced, setDebounced] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(text), debounceMs)
    return () => clearTimeout(timer)
  }, [text])
  return JSON.parse(debounced) as Record<string, unknown> // what was given
}
