/** Discards what is pending in all services of an environment, once it was said which. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call, sentenceOf } from '../data/api.ts'
import { Button } from '../ui/button.tsx'
import type { PendingDiff } from '../ui/diff.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Notice } from '../ui/notice.tsx'
import { titleOf } from '../ui/resources.tsx'

/** Only a service that was deployed has something to go back to. */
const canBeDiscarded = ({ kind, pending }: PendingDiff): boolean => kind === 'app' && !pending.includes('created')

export function DiscardAll({ items }: { items: readonly PendingDiff[] }) {
  const [open, setOpen] = useState(false)
  const found = items.filter(canBeDiscarded)
  const close = () => setOpen(false)
  return (
    <>
      <Button
        why={found.length === 0 ? 'No service that runs has changes to discard' : undefined}
        onClick={() => setOpen(true)}
      >
        Discard all
      </Button>
      <Dialog open={open} onClose={close} title="Discard all changes?">
        {open && <Ask found={found} onClose={close} />}
      </Dialog>
    </>
  )
}

function Ask({ found, onClose }: { found: readonly PendingDiff[]; onClose: () => void }) {
  const client = useQueryClient()
  const discard = useMutation({
    mutationFn: async () => {
      for (const { name } of found) await call('apps.discard', { app: name })
    },
    retry: false,
    networkMode: 'always',
    onSuccess: onClose,
    // What was discarded before a refusal stays so.
    onSettled: () => client.invalidateQueries({ refetchType: 'active' }),
  })
  return (
    <div className="flex flex-col gap-4">
      <div className="text-sm">
        <p className="text-muted">
          These go back to what runs, but for secret values that were replaced. What was created stays as a draft.
        </p>
        <ul className="mt-1 list-disc pl-5">
          {found.map((item) => (
            <li key={item.name}>{titleOf(item)}</li>
          ))}
        </ul>
      </div>
      {discard.isError && <Notice kind="failed">{sentenceOf(discard.error)}</Notice>}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Keep them</Button>
        <Button kind="danger" busy={discard.isPending} onClick={() => discard.mutate()}>
          Discard them
        </Button>
      </div>
    </div>
  )
}
