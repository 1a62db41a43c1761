/** The state of a resource: a word and a shape, so that the colour is not needed. */
import { CircleCheck, CircleDashed, LoaderCircle, Moon, OctagonX, Trash2, type LucideIcon } from 'lucide-react'
import type { ResourceState } from '../../contract/fields/words.ts'

export type ShownState = ResourceState | 'sleeping'

interface Look {
  readonly icon: LucideIcon
  readonly text: string
  readonly tint: string
  readonly word: string
}

const looks: Readonly<Record<ShownState, Look>> = {
  ready: { icon: CircleCheck, text: 'text-ready', tint: 'bg-ready-tint', word: 'Ready' },
  pending: { icon: LoaderCircle, text: 'text-pending', tint: 'bg-pending-tint', word: 'Pending' },
  failed: { icon: OctagonX, text: 'text-failed', tint: 'bg-failed-tint', word: 'Failed' },
  draft: { icon: CircleDashed, text: 'text-draft', tint: 'bg-draft-tint', word: 'Draft' },
  deleting: { icon: Trash2, text: 'text-deleting', tint: 'bg-deleting-tint', word: 'Deleting' },
  sleeping: { icon: Moon, text: 'text-sleeping', tint: 'bg-sleeping-tint', word: 'Sleeping' },
}

export function StateIcon({ state, size = 16 }: { state: ShownState; size?: number }) {
  const { icon: Icon, text } = looks[state]
  return <Icon size={size} aria-hidden className={`shrink-0 ${text} ${state === 'pending' ? 'turning' : ''}`} />
}

/** A badge with the word; `word` where another one says it better. */
export function StateBadge({ state, word }: { state: ShownState; word?: string }) {
  const look = looks[state]
  return (
    <span
      className={`inline-flex h-6 items-center gap-1.5 rounded px-2 text-xs font-medium whitespace-nowrap ${look.text} ${look.tint}`}
    >
      <StateIcon state={state} size={14} />
      {word ?? look.word}
    </span>
  )
}

/** Icon and word without a box, for table rows. */
export function StateWord({ state, word }: { state: ShownState; word?: string }) {
  return (
    <span className="inline-flex items-center gap-1.5 align-middle whitespace-nowrap">
      <StateIcon state={state} />
      <span>{word ?? looks[state].word}</span>
    </span>
  )
}
