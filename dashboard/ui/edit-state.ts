/**
 * What a form holds: its inputs, what others changed meanwhile, and saving. What others changed in fields that were not
 * edited here is taken in; in fields that were edited it is asked about, and nothing is saved until that is answered.
 */
import { useBlocker } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import { useForm, type FieldErrors, type Resolver, type UseFormReturn } from 'react-hook-form'
import type { z } from 'zod'
import { defined } from '../../contract/defined.ts'
import { isOutdated, sentenceOf } from '../data/api.ts'
import type { FormField, FormValues } from './form-field.ts'
import { refusedField } from './refused-field.ts'

interface Wanted {
  readonly fields: readonly FormField[]
  readonly schema: z.ZodObject
  readonly values: FormValues
  readonly version?: string | undefined
  readonly save: (params: Record<string, unknown>, version: string | undefined) => Promise<unknown>
  readonly reload?: (() => Promise<unknown>) | undefined
  readonly whole?: boolean
}

interface Outcome {
  readonly failed?: string
  readonly done?: boolean
}

export interface EditState {
  readonly form: UseFormReturn<FormValues>
  /** What the inputs hold. */
  readonly now: FormValues
  readonly isDirty: boolean
  /** Whether what the inputs hold now is valid: the form's own state says so of an earlier text for a moment. */
  readonly isValid: boolean
  /** The inputs as the operation takes them, changed or not. */
  readonly params: Record<string, unknown>
  readonly submit: () => void
  /** Fields that were edited here and have another value by now. */
  readonly contested: readonly FormField[]
  /** Labels of fields that others changed and that were not edited here, since the last save. */
  readonly taken: readonly string[]
  readonly takeTheirs: () => void
  readonly keepMine: () => void
  readonly undo: () => void
  readonly outcome: Outcome
  readonly busy: boolean
}

/** A record is also written by svc itself, as its state changes: such a save is made again with the newer version. */
const triesMax = 8
const newerWithinMs = 5000

export function useEditState({ fields, schema, values, version, save, reload, whole = false }: Wanted): EditState {
  const [begun, setBegun] = useState(values)
  const [taken, setTaken] = useState<readonly string[]>([])
  const [outcome, setOutcome] = useState<Outcome>({})
  const [refusedVersion, setRefusedVersion] = useState<string>()
  const tries = useRef(0)
  const form = useForm<FormValues>({ defaultValues: values, mode: 'onChange', resolver: resolverOf(fields, schema) })
  const now = form.watch()
  const isEdited = ({ name }: FormField) => now[name] !== begun[name]
  const isDirty = fields.some(isEdited)
  const isValid = Object.keys(errorsOf(fields, schema, now)).length === 0
  const { isSubmitting } = form.formState
  // In the middle of a save, what is read again is one's own.
  const moved = isSubmitting ? [] : fields.filter(({ name }) => begun[name] !== values[name])
  const contested = moved.filter((field) => isEdited(field) && now[field.name] !== values[field.name])
  const busy = isSubmitting || refusedVersion !== undefined
  useGuard(isDirty && !busy)

  /** From now on these fields count as begun with what they are by now. */
  const acknowledge = (known: readonly FormField[]) => setBegun({ ...begun, ...valuesOf(known, values) })
  const take = (wanted: readonly FormField[]) => {
    for (const { name } of wanted) form.setValue(name, values[name] ?? '', { shouldValidate: true })
    acknowledge(wanted)
  }
  useEffect(() => {
    const quiet = moved.filter((field) => !contested.includes(field))
    if (quiet.length === 0) return
    take(quiet)
    if (isDirty) setTaken([...new Set([...taken, ...quiet.map(({ label }) => label)])])
  })

  const saveTyped = async (typed: FormValues) => {
    setOutcome({})
    const sent = shownOf(fields, typed).filter((field) => (whole ? (typed[field.name] ?? '') !== '' : isEdited(field)))
    try {
      await save(paramsOf(sent, typed), version)
      setBegun(typed)
      setTaken([])
      setOutcome({ done: true })
    } catch (error) {
      if (isOutdated(error) && version !== undefined && (tries.current += 1) < triesMax) {
        setRefusedVersion(version)
        void reload?.()
      } else showRefusal(form, shownOf(fields, typed), sentenceOf(error), setOutcome)
    }
  }
  // A refusal is of what was sent then, and goes where something else is refused here.
  const saveChanged = form.handleSubmit(saveTyped, () => setOutcome({}))
  const submit = () => void saveChanged()
  useNewer(refusedVersion, version, (isNewer) => {
    setRefusedVersion(undefined)
    if (!isNewer) setOutcome({ failed: sentences.notReadAgain })
    else if (contested.length === 0) submit()
  })
  return {
    ...{ form, now, isDirty, isValid, contested, taken, outcome, busy },
    params: paramsOf(shownOf(fields, now), now),
    takeTheirs: () => take(contested),
    keepMine: () => acknowledge(contested),
    undo() {
      setOutcome({})
      form.reset(begun)
    },
    submit() {
      tries.current = 0
      submit()
    },
  }
}

const sentences = { notReadAgain: 'it was changed by others meanwhile, and cannot be read again' } as const

const shownOf = (fields: readonly FormField[], values: FormValues): readonly FormField[] =>
  fields.filter(({ when }) => when?.(values) ?? true)

const valuesOf = (fields: readonly FormField[], values: FormValues): FormValues =>
  Object.fromEntries(fields.map(({ name }) => [name, values[name] ?? '']))

/** Asks before the page is left. */
function useGuard(guarded: boolean): void {
  useBlocker({
    shouldBlockFn: () => guarded && !confirm('Leave without saving what you changed?'),
    enableBeforeUnload: guarded,
  })
}

/** Reports when there is another version than the refused one, or that none came. */
function useNewer(refused: string | undefined, version: string | undefined, then: (isNewer: boolean) => void): void {
  const latest = useRef(then)
  latest.current = then
  const isNewer = refused !== undefined && version !== refused
  useEffect(() => {
    if (refused === undefined) return undefined
    if (isNewer) {
      latest.current(true)
      return undefined
    }
    const timer = setTimeout(() => latest.current(false), newerWithinMs)
    return () => clearTimeout(timer)
  }, [refused, isNewer])
}

/** Beside the field that it is about, else over the form. */
function showRefusal(
  form: UseFormReturn<FormValues>,
  fields: readonly FormField[],
  sentence: string,
  setOutcome: (outcome: Outcome) => void,
): void {
  const field = refusedField(sentence, fields, form.getValues())
  if (field === undefined) setOutcome({ failed: sentence })
  else form.setError(field.name, { message: sentence }, { shouldFocus: true })
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
  return defined(Object.fromEntries(entries))
}

function resolverOf(fields: readonly FormField[], schema: z.ZodObject): Resolver<FormValues> {
  return (values) => {
    const errors = errorsOf(fields, schema, values)
    return Object.keys(errors).length === 0 ? { values, errors: {} } : { values: {}, errors }
  }
}

function errorsOf(fields: readonly FormField[], schema: z.ZodObject, values: FormValues): FieldErrors<FormValues> {
  const shown = shownOf(fields, values)
  const params = paramsOf(shown, values)
  const errors: FieldErrors<FormValues> = {}
  for (const { name, kind } of shown) {
    const type: z.ZodType | undefined = (schema.shape as Record<string, z.ZodType>)[name]
    // A blank choice or secret is none; what is required is said by the api's own schema for a blank text.
    if (type === undefined || ((kind === 'select' || kind === 'secret') && params[name] === '')) continue
    const { error } = type.safeParse(params[name])
    if (error !== undefined) errors[name] = { type: 'schema', message: error.issues[0]?.message ?? 'not valid' }
  }
  return errors
}
