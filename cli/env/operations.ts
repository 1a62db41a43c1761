/** The commands of a service's variables that are one operation each. */
import type { OperationRow } from '../operations/operation-command.ts'

const app = ['<app>', 'name of the service', 'app'] as const

export const envRows: readonly OperationRow[] = [
  {
    name: 'import',
    id: 'apps.config-raw',
    description: 'replace all plain variables by lines of KEY=VALUE',
    args: [app],
    options: [{ flags: '--file <file>', words: 'lines of KEY=VALUE', field: 'config', kind: 'file', required: true }],
  },
]
