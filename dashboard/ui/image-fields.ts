/** Fields of what runs an image, which are asked for when a service is made and when its settings are changed. */
import type { FormField } from './form-field.ts'

/** See docs/guides/confinement.md#never-root. */
export const rootField: FormField = {
  name: 'runAsRoot',
  label: 'May run as root',
  kind: 'check',
  hint: 'Most public images do; one with a numeric user other than 0 needs no such right',
}
