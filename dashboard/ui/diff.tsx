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
      {changes.length > 0 && (
        <div className="overflow-x-auto" role="region" aria-label="Changed fields" tabIndex={0}>
          <table className="w-full text-xs">
            <thead>
              <tr className="text-left text-muted">
                <th scope="col" className="py-1 pr-4 font-medium">
                  Field
                </th>
                <th scope="col" className="py-1 pr-4 font-medium">
                  Runs now
                </th>
                <th scope="col" className="py-1 font-medium">
                  After the deploy
                </th>
              </tr>
            </thead>
            <tbody className="font-mono">
              {changes.map(({ field, before, after }) => (
                <tr key={field} className="border-t border-line align-top">
                  <th scope="row" className="py-1.5 pr-4 text-left font-normal text-muted">
                    {field}
                  </th>
                  <td className="py-1.5 pr-4 wrap-anywhere">
                    {before === undefined ? <None /> : <del className="text-failed">{valueText(before)}</del>}
                  </td>
                  <td className="py-1.5 wrap-anywhere">
                    {after === undefined ? <None /> : <ins className="text-ready no-underline">{valueText(after)}</ins>}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  )
}

const None = () => <span className="font-sans text-muted">none</span>

/** `settings and variables`. */
export const pendingText = (pending: PendingDiff['pending']): string =>
  pending.map((word) => changeWords[word]).join(' and ')
