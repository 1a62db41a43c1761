/** What each tab of a service's page gets. */
import type { View } from '../../contract/operations.ts'

export interface ServiceProps {
  readonly app: string
  readonly detail: View<'apps.get'>
}
