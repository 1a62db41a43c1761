/** The fields of a form, and what its inputs hold. */
import type { ReactNode } from 'react'

export interface FormField {
  readonly name: string
  readonly label: string
  /** `lines`: a list, one value a line. */
  readonly kind?: 'text' | 'number' | 'check' | 'lines' | 'area' | 'secret' | 'select'
  readonly hint?: ReactNode
  readonly placeholder?: string
  readonly options?: readonly (readonly [value: string, words: string])[]
  /** Offered while a text is typed; any other may be typed as well. */
  readonly suggestions?: readonly string[]
  /** Left out of the page, and of what is sent, while this is false of the values. */
  readonly when?: (values: FormValues) => boolean
}

/** As inputs hold them: texts, and for switches booleans. */
export type FormValues = Record<string, string | boolean>
