/** What a deploy would change, field by field: what runs on the left, what is saved on the right. */
import type { View } from '../../contract/operations.ts'

export type PendingDiff = View<'apps.pending'>

const valueText = (value: unknown): string =>
  value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)

const changeWords: Readonly<Record<PendingDiff['pending'][number], string>> = {
  created: 'was created',
  settings: 'settings',
  variables: 'variables',
}

export function Diff({ diff: { pending, changes, secretsChanged } }: { diff: PendingDiff }) {
  return (
    <div className="flex flex-col gap-2">
      {pending.includes('created') && <p className="text-sm text-muted">Never deployed: all of it is new.</p>}
      {secretsChanged && (
        <p className="text-sm text-muted">Secret variables were set or deleted; their values are not shown.</p>
      )}
      {changes.length > 0 && <FieldTable changes={changes} before="Runs now" after="After the deploy" />}
    </div>
  )
}

/** Fields with the value on either side. */
export function FieldTable({
  changes,
  before,
  after,
}: {
  changes: PendingDiff['changes']
  before: string
  after: string
}) {
  return (
    <div className="overflow-x-auto" role="region" aria-label="Changed fields" tabIndex={0}>
      <table className="w-full text-xs">
        <thead>
          <tr className="text-left text-muted">
            {['Field', before, after].map((title) => (
              <th key={title} scope="col" className="py-1 pr-4 font-medium">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="font-mono">
          {changes.map(({ field, before: was, after: is }) => (
            <tr key={field} className="border-t border-line align-top">
              <th scope="row" className="py-1.5 pr-4 text-left font-normal text-muted">
                {field}
              </th>
              <td className="py-1.5 pr-4 wrap-anywhere">
                {was === undefined ? <None /> : <del className="text-failed">{valueText(was)}</del>}
              </td>
              <td className="py-1.5 wrap-anywhere">
                {is === undefined ? <None /> : <ins className="text-ready no-underline">{valueText(is)}</ins>}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const None = () => <span className="font-sans text-muted">none</span>

/** `settings and variables`. */
export const pendingText = (pending: PendingDiff['pending']): string =>
  pending.map((word) => changeWords[word]).join(' and ')
