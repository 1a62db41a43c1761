/**
 * What takes something away is never one click: deleting says what goes with it and asks for the name, and the rest
 * says what is lost.
 */
import { useMutation } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { sentenceOf } from '../data/api.ts'
import { Button, type ButtonKind } from './button.tsx'
import { Dialog } from './dialog.tsx'
import { CheckField, TextField } from './field.tsx'
import { Notice } from './notice.tsx'

export interface Choice {
  readonly label: string
  readonly hint: string
  /** Made at first. */
  readonly made: boolean
}

/** See docs/reference/databases.md#abandoning. */
export const abandonChoice: Choice = {
  label: 'Delete it without asking the cloud',
  hint: 'For an account that is lost: what is there stays, and may cost',
  made: false,
}

interface Props {
  /** `service`, for sentences. */
  readonly what: string
  /** What has to be typed. */
  readonly name: string
  readonly goes: readonly string[]
  readonly remove: (confirmName: string, chosen: boolean) => Promise<unknown>
  /** A choice beside it. */
  readonly choice?: Choice | undefined
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
  const [chosen, setChosen] = useState(choice?.made ?? true)
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
        <CheckField
          label={choice.label}
          hint={choice.hint}
          checked={chosen}
          onChange={(event) => setChosen(event.target.checked)}
        />
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

interface ConfirmProps {
  /** On the button that asks. */
  readonly label: string
  /** What it is called where `label` alone does not say of what. */
  readonly name?: string
  /** The question. */
  readonly title: string
  readonly verb: string
  readonly keep: string
  readonly act: () => Promise<unknown>
  readonly why?: string | undefined
  readonly small?: boolean
  readonly kind?: ButtonKind
  /** What is lost. */
  readonly children: ReactNode
}

/** For what is lost without being a thing with a name, such as changes that are not deployed. */
export function ConfirmButton({ label, name, title, why, small = false, kind = 'plain', ...asked }: ConfirmProps) {
  const [open, setOpen] = useState(false)
  const close = () => setOpen(false)
  return (
    <>
      <Button kind={kind} small={small} why={why} aria-label={name} onClick={() => setOpen(true)}>
        {label}
      </Button>
      <Dialog open={open} onClose={close} title={title}>
        {open && <Confirm {...asked} onClose={close} />}
      </Dialog>
    </>
  )
}

type Confirmed = Pick<ConfirmProps, 'verb' | 'keep' | 'act' | 'children'> & { onClose: () => void }

function Confirm({ verb, keep, act, children, onClose }: Confirmed) {
  const acting = useMutation({ mutationFn: act, retry: false, networkMode: 'always', onSuccess: onClose })
  return (
    <div className="flex flex-col gap-4">
      <div className="text-sm">{children}</div>
      {acting.isError && <Notice kind="failed">{sentenceOf(acting.error)}</Notice>}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>{keep}</Button>
        <Button kind="danger" busy={acting.isPending} onClick={() => acting.mutate()}>
          {verb}
        </Button>
      </div>
    </div>
  )
}
