/** Deleting: says what goes with it, and asks for the name; never one click. */
import { useState } from 'react'
import { sentenceOf } from '../data/api.ts'
import { Button } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { CheckField, TextField } from './field.tsx'
import { Notice } from './notice.tsx'

interface Props {
  /** `service`, for sentences. */
  readonly what: string
  /** What has to be typed. */
  readonly name: string
  readonly goes: readonly string[]
  readonly remove: (confirmName: string, chosen: boolean) => Promise<unknown>
  /** A choice beside it, made at first. */
  readonly choice?: { readonly label: string; readonly hint: string } | undefined
  readonly verb?: string
  readonly why?: string | undefined
  /** For the row of a table: the verb alone. */
  readonly small?: boolean
}

export function DeleteButton({ what, name, goes, remove, choice, verb = 'Delete', why, small = false }: Props) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button kind="danger" small={small} why={why} onClick={() => setOpen(true)}>
        {small ? verb : `${verb} this ${what}`}
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={`${verb} ${name}?`}>
        {open && <Ask {...{ what, name, goes, remove, choice, verb }} onClose={() => setOpen(false)} />}
      </Dialog>
    </>
  )
}

type Asked = Omit<Props, 'why' | 'small'> & { onClose: () => void }

function Ask({ what, name, goes, remove, choice, verb, onClose }: Asked) {
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(true)
  const [failed, setFailed] = useState<string>()
  const [busy, setBusy] = useState(false)
  const submit = async () => {
    setBusy(true)
    setFailed(undefined)
    try {
      await remove(typed, chosen)
      onClose()
    } catch (error) {
      setFailed(sentenceOf(error))
      setBusy(false)
    }
  }
  return (
    <form
      className="flex flex-col gap-4"
      onSubmit={(event) => {
        event.preventDefault()
        if (typed === name) void submit()
      }}
    >
      <div className="text-sm">
        <p className="text-muted">With it go:</p>
        <ul className="mt-1 list-disc pl-5">
          {goes.map((each) => (
            <li key={each}>{each}</li>
          ))}
        </ul>
      </div>
      <TextField
        label={`Type ${name} to ${verb?.toLowerCase()} the ${what}`}
        autoFocus
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      {choice !== undefined && (
        <CheckField {...choice} checked={chosen} onChange={(event) => setChosen(event.target.checked)} />
      )}
      {failed !== undefined && <Notice kind="failed">{failed}</Notice>}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Keep it</Button>
        <Button kind="danger" type="submit" busy={busy} why={typed === name ? undefined : 'The name is not typed yet'}>
          {verb} {name}
        </Button>
      </div>
    </form>
  )
}
