/** Form fields: the label above, a hint or the refusal below, each bound to its input. */
import {
  useId,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react'

interface FieldTexts {
  readonly label: string
  readonly hint?: ReactNode
  /** The refusal, in the words of the contract. */
  readonly error?: string | undefined
}

export const inputClass =
  'w-full rounded border border-edge bg-page px-2.5 text-sm text-ink aria-invalid:border-failed disabled:bg-subtle disabled:text-muted read-only:bg-subtle max-md:text-base'

function Wrapped({ id, label, hint, error, children }: FieldTexts & { id: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children}
      {error !== undefined ? (
        <p id={`${id}-says`} role="alert" className="text-xs text-failed wrap-anywhere">
          {error}
        </p>
      ) : (
        hint !== undefined && (
          <p id={`${id}-says`} className="text-xs text-muted wrap-anywhere">
            {hint}
          </p>
        )
      )}
    </div>
  )
}

const describing = (id: string, { hint, error }: Pick<FieldTexts, 'hint' | 'error'>) => ({
  id,
  'aria-invalid': error !== undefined || undefined,
  'aria-describedby': hint === undefined && error === undefined ? undefined : `${id}-says`,
})

interface TextProps extends FieldTexts, InputHTMLAttributes<HTMLInputElement> {
  readonly suggestions?: readonly string[] | undefined
}

export function TextField({ label, hint, error, suggestions = [], ...input }: TextProps) {
  const id = useId()
  return (
    <Wrapped {...{ id, label, hint, error }}>
      {suggestions.length > 0 && (
        <datalist id={`${id}-offers`}>
          {suggestions.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
      <input
        autoComplete="off"
        spellCheck={false}
        list={suggestions.length > 0 ? `${id}-offers` : undefined}
        {...input}
        {...describing(id, { hint, error })}
        className={`${inputClass} h-8 ${input.className ?? ''}`}
      />
    </Wrapped>
  )
}

export function TextArea({ label, hint, error, ...input }: FieldTexts & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  const id = useId()
  return (
    <Wrapped {...{ id, label, hint, error }}>
      <textarea
        spellCheck={false}
        {...input}
        {...describing(id, { hint, error })}
        className={`${inputClass} py-1.5 font-mono text-xs ${input.className ?? ''}`}
      />
    </Wrapped>
  )
}

export function SelectField({
  label,
  hint,
  error,
  children,
  ...input
}: FieldTexts & SelectHTMLAttributes<HTMLSelectElement>) {
  const id = useId()
  return (
    <Wrapped {...{ id, label, hint, error }}>
      <select {...input} {...describing(id, { hint, error })} className={`${inputClass} h-8`}>
        {children}
      </select>
    </Wrapped>
  )
}

/** A switch with its label beside it. */
export function CheckField({ label, hint, error, ...input }: FieldTexts & InputHTMLAttributes<HTMLInputElement>) {
  const id = useId()
  return (
    <div className="flex items-start gap-2">
      <input
        type="checkbox"
        {...input}
        {...describing(id, { hint, error })}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      <div className="min-w-0">
        <label htmlFor={id} className="text-sm font-medium wrap-anywhere">
          {label}
        </label>
        {(error ?? hint) !== undefined && (
          <p id={`${id}-says`} className={`text-xs ${error === undefined ? 'text-muted' : 'text-failed'}`}>
            {error ?? hint}
          </p>
        )}
      </div>
    </div>
  )
}
