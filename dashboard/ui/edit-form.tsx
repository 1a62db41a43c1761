/**
 * A form over fields of the contract: each is judged as it is typed, by the schema that the api judges by and in its
 * words; what is saved is only what was changed. What others change meanwhile is said, and never lost or overwritten.
 */
import type { ReactNode } from 'react'
import type { UseFormReturn } from 'react-hook-form'
import type { z } from 'zod'
import { Button } from './button.tsx'
import { useEditState, type EditState } from './edit-state.ts'
import { CheckField, SelectField, TextArea, TextField } from './field.tsx'
import type { FormField, FormValues } from './form-field.ts'
import { Notice } from './notice.tsx'

interface Props {
  readonly fields: readonly FormField[]
  /** The operation's schema: fields that the form does not have are not asked for. */
  readonly schema: z.ZodObject
  readonly values: FormValues
  /** Version of the record with these values: `save` gets the one that was shown, and may refuse another. */
  readonly version?: string | undefined
  readonly save: (params: Record<string, unknown>, version: string | undefined) => Promise<unknown>
  /** Reads the record again, after such a refusal. */
  readonly reload?: (() => Promise<unknown>) | undefined
  readonly button: string
  /** Sends every field that is filled in, not only what was changed. */
  readonly whole?: boolean
  /** Said beside the button once it worked. */
  readonly done?: string
  /** Why nothing may be changed here. */
  readonly why?: string | undefined
  /** What saving would bring about, of all fields as they stand: shown once something was changed and is valid. */
  readonly foresee?: (params: Record<string, unknown>) => ReactNode
  readonly children?: ReactNode
}

export function EditForm(props: Props) {
  const { fields, values, button, whole = false, done = 'Saved', why, foresee, children } = props
  const edit = useEditState(props)
  const { form, now, isDirty, isValid, submit, contested, undo, outcome, busy } = edit
  const choose =
    contested.length === 0
      ? undefined
      : `Others changed ${contested.map(({ label }) => label).join(' and ')}: take theirs or keep yours first`
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
      noValidate
      className="flex flex-col gap-4"
    >
      <Meanwhile edit={edit} values={values} />
      <fieldset disabled={why !== undefined} className="flex min-w-0 flex-col gap-4">
        {fields.map((field) =>
          (field.when?.(now) ?? true) ? (
            <Input key={field.name} field={field} form={form} isOff={why !== undefined} />
          ) : null,
        )}
        {children}
      </fieldset>
      {outcome.failed !== undefined && <Notice kind="failed">{sentenceCase(outcome.failed)}</Notice>}
      {isDirty && isValid && outcome.failed === undefined && foresee?.(edit.params)}
      <div className="flex items-center gap-3">
        <Button
          kind="primary"
          type="submit"
          busy={busy}
          why={why ?? choose ?? (whole || isDirty ? undefined : 'Nothing was changed')}
        >
          {button}
        </Button>
        {isDirty && !whole && (
          <Button kind="quiet" onClick={undo}>
            Undo
          </Button>
        )}
        <span role="status" className="text-sm text-ready">
          {outcome.done === true && !isDirty ? done : ''}
        </span>
      </div>
    </form>
  )
}

/** What others changed since this form was begun, and whose value counts where both did. */
function Meanwhile({ edit, values }: { edit: EditState; values: FormValues }) {
  const { contested, taken, takeTheirs, keepMine } = edit
  if (contested.length > 0)
    return (
      <Notice
        kind="warning"
        action={
          <span className="flex gap-2">
            <Button small onClick={takeTheirs}>
              Take theirs
            </Button>
            <Button small onClick={keepMine}>
              Keep mine
            </Button>
          </span>
        }
      >
        Changed meanwhile by others:{' '}
        {contested.map(({ name, label }) => `${label} is now ${JSON.stringify(values[name] ?? '')}`).join('; ')}. Your
        text is kept.
      </Notice>
    )
  if (taken.length === 0) return null
  return <Notice kind="info">Changed meanwhile by others, and shown as it is now: {taken.join(', ')}.</Notice>
}

const sentenceCase = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

interface InputProps {
  readonly field: FormField
  readonly form: UseFormReturn<FormValues>
  /** Where nothing can be typed an example would read as the value. */
  readonly isOff: boolean
}

function Input({ field, form, isOff }: InputProps) {
  const { name, label, kind = 'text', hint, placeholder, options = [], suggestions } = field
  const error = form.formState.errors[name]?.message
  const example = isOff ? undefined : placeholder
  const around = { label, hint, error: typeof error === 'string' ? error : undefined, placeholder: example }
  const bound = form.register(name)
  if (kind === 'check') return <CheckField {...around} {...bound} />
  if (kind === 'lines' || kind === 'area') return <TextArea rows={kind === 'area' ? 8 : 3} {...around} {...bound} />
  if (kind === 'select')
    return (
      <SelectField {...around} {...bound}>
        {options.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </SelectField>
    )
  return (
    <TextField
      type={kind === 'secret' ? 'password' : 'text'}
      inputMode={kind === 'number' ? 'numeric' : undefined}
      suggestions={suggestions}
      autoComplete={kind === 'secret' ? 'new-password' : 'off'}
      {...around}
      {...bound}
    />
  )
}
