/** How a connection to a server elsewhere is secured, in forms. */
import { sslModes } from '../../contract/fields/words.ts'
import type { FormField } from './form-field.ts'

export const securityFields: readonly FormField[] = [
  {
    name: 'sslMode',
    label: 'How it is secured',
    kind: 'select',
    hint: 'Left to svc, a host at a public address must show a valid certificate',
    options: [['', 'Left to svc'], ...sslModes.map((mode): [string, string] => [mode, mode])],
  },
  { name: 'caCertificate', label: 'Certificates of its authority', kind: 'area', hint: 'PEM; left empty, public ones' },
]
