/**
 * A form over fields of the contract: each is judged as it is typed, by the schema that the api judges by and in its
 * words; what is saved is only what was changed. What others change meanwhile is said, and never lost or overwritten.
 */
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useState, type ReactNode } from 'react'
import { useForm, type FieldErrors, type Resolver, type UseFormReturn } from 'react-hook-form'
import type { z } from 'zod'
import { sentenceOf } from '../data/api.ts'
import { Button } from './button.tsx'
import { CheckField, SelectField, TextArea, TextField } from './field.tsx'
import { Notice } from './notice.tsx'

export interface FormField {
  readonly name: string
  readonly label: string
  /** `lines`: a list, one value a line. */
  readonly kind?: 'text' | 'number' | 'check' | 'lines' | 'area' | 'secret' | 'select'
  readonly hint?: ReactNode
  readonly placeholder?: string
  readonly options?: readonly (readonly [value: string, words: string])[]
  /** Left out of the page, and of what is sent, while this is false of the values. */
  readonly when?: (values: FormValues) => boolean
}

/** As inputs hold them: texts, and for switches booleans. */
export type FormValues = Record<string, string | boolean>

interface Props {
  readonly fields: readonly FormField[]
  /** Of the operation: fields that the form does not have are not asked for. */
  readonly schema: z.ZodObject
  readonly values: FormValues
  readonly save: (params: Record<string, unknown>) => Promise<unknown>
  readonly button: string
  /** Sends every field that is filled in, not only what was changed. */
  readonly whole?: boolean
  /** Said beside the button once it worked. */
  readonly done?: string
  /** Why nothing may be changed here. */
  readonly why?: string | undefined
  readonly children?: ReactNode
}

/** What the form holds: its inputs, what others changed meanwhile, and saving. */
function useEdit({ fields, schema, values, save, whole = false }: Props) {
  const [begun, setBegun] = useState(values)
  const [outcome, setOutcome] = useState<{ failed?: string; done?: boolean }>({})
  const form = useForm<FormValues>({ values: begun, mode: 'onChange', resolver: resolverOf(fields, schema) })
  const { formState } = form
  const { isDirty, isSubmitting } = formState
  const moved = fields.filter(({ name }) => begun[name] !== values[name])
  useEffect(() => {
    if (moved.length > 0 && !isDirty && !isSubmitting) setBegun(values)
  }, [moved.length, isDirty, isSubmitting, values])
  const guarded = isDirty && !whole && !isSubmitting
  useBlocker({
    shouldBlockFn: () => guarded && !confirm('Leave without saving what you changed?'),
    enableBeforeUnload: guarded,
  })
  const submit = form.handleSubmit(async (now) => {
    setOutcome({})
    const shown = fields.filter(({ when }) => when?.(now) ?? true)
    const sent = shown.filter(({ name }) =>
      whole ? now[name] !== '' && now[name] !== undefined : now[name] !== begun[name],
    )
    try {
      await save(paramsOf(sent, now))
      setBegun(now)
      form.reset(now)
      setOutcome({ done: true })
    } catch (error) {
      const sentence = sentenceOf(error)
      const field = fields.find(({ name }) => sentence.startsWith(`${name} `))
      if (field === undefined) setOutcome({ failed: sentence })
      else form.setError(field.name, { message: sentence }, { shouldFocus: true })
    }
  })
  const takeTheirs = () => {
    setBegun(values)
    form.reset(values)
  }
  return { form, submit, moved, outcome, takeTheirs, undo: () => form.reset(begun), isDirty, isSubmitting }
}

export function EditForm(props: Props) {
  const { fields, values, button, whole = false, done = 'Saved', why, children } = props
  const { form, submit, moved, outcome, takeTheirs, undo, isDirty, isSubmitting } = useEdit(props)
  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="flex flex-col gap-4">
      {moved.length > 0 && isDirty && (
        <Notice
          kind="warning"
          action={
            <Button small onClick={takeTheirs}>
              Take theirs
            </Button>
          }
        >
          Changed meanwhile by others:{' '}
          {moved.map(({ name, label }) => `${label} is now ${JSON.stringify(values[name] ?? '')}`).join('; ')}. Your
          text is kept.
        </Notice>
      )}
      <fieldset disabled={why !== undefined} className="flex flex-col gap-4">
        {fields.map((field) =>
          (field.when?.(form.watch()) ?? true) ? <Input key={field.name} field={field} form={form} /> : null,
        )}
        {children}
      </fieldset>
      {outcome.failed !== undefined && <Notice kind="failed">{sentenceCase(outcome.failed)}</Notice>}
      <div className="flex items-center gap-3">
        <Button
          kind="primary"
          type="submit"
          busy={isSubmitting}
          why={why ?? (whole || isDirty ? undefined : 'Nothing was changed')}
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

const sentenceCase = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`

function Input({ field, form }: { field: FormField; form: UseFormReturn<FormValues> }) {
  const { name, label, kind = 'text', hint, placeholder, options = [] } = field
  const error = form.formState.errors[name]?.message
  const around = { label, hint, error: typeof error === 'string' ? error : undefined, placeholder }
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
      autoComplete={kind === 'secret' ? 'new-password' : 'off'}
      {...around}
      {...bound}
    />
  )
}

/** The values of these fields as the operation takes them. A number that was left blank is left out. */
function paramsOf(fields: readonly FormField[], values: FormValues): Record<string, unknown> {
  const entries = fields.map(({ name, kind }): [string, unknown] => {
    const value = values[name] ?? ''
    if (kind === 'number') return [name, value === '' ? undefined : Number(value)]
    if (kind === 'lines')
      return [
        name,
        String(value)
          .split('\n')
          .map((line) => line.trim())
          .filter((line) => line !== ''),
      ]
    return [name, value]
  })
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

function resolverOf(fields: readonly FormField[], schema: z.ZodObject): Resolver<FormValues> {
  return (values) => {
    const shown = fields.filter(({ when }) => when?.(values) ?? true)
    const params = paramsOf(shown, values)
    const errors: FieldErrors<FormValues> = {}
    for (const { name, kind } of shown) {
      const type: z.ZodType | undefined = (schema.shape as Record<string, z.ZodType>)[name]
      // A blank choice or secret is none; what is required is said by the api's own schema for a blank text.
      if (type === undefined || ((kind === 'select' || kind === 'secret') && params[name] === '')) continue
      const { error } = type.safeParse(params[name])
      if (error !== undefined) errors[name] = { type: 'schema', message: error.issues[0]?.message ?? 'not valid' }
    }
    return Object.keys(errors).length === 0 ? { values, errors: {} } : { values: {}, errors }
  }
}
