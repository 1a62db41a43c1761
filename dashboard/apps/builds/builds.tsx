/** The builds of a service: what asked for each, what it made, and what it took from the cache. */
import type { View } from '../../../contract/operations.ts'
import { useRead } from '../../data/queries.ts'
import { useMe } from '../../data/session.ts'
import { Skeleton } from '../../ui/notice.tsx'
import { bytesText } from '../../ui/meter.tsx'
import { Panel, Table } from '../../ui/panel.tsx'
import { Shown } from '../../ui/read.tsx'
import { StateWord, type ShownState } from '../../ui/state.tsx'
import { Ago } from '../../ui/time.tsx'

type Build = View<'apps.builds'>['items'][number]

export function Builds({ app }: { app: string }) {
  const { role } = useMe()
  const builds = useRead('apps.builds', { app }, { enabled: role === 'admin' })
  if (role !== 'admin') return null
  const loading = (
    <div className="p-4">
      <Skeleton rows={2} label="Loading the builds" />
    </div>
  )
  return (
    <Panel title="Builds" flush>
      <Shown of={builds} what="the builds" loading={loading}>
        {({ items }) =>
          items.length === 0 ? (
            <p className="p-4 text-sm text-muted">It was never built.</p>
          ) : (
            <Table label="Builds" head={['Begun', 'State', 'By', 'Image']}>
              {items.map((build) => (
                <tr key={build.name} className="align-top">
                  <td className="whitespace-nowrap">
                    <Ago at={build.startedAt} />
                  </td>
                  <td>
                    <StateWord state={buildState(build.phase)} word={build.phase} />
                    {build.message !== '' && <p className="text-xs text-muted wrap-anywhere">{build.message}</p>}
                  </td>
                  <td>{build.trigger ?? 'unknown'}</td>
                  <td>
                    {build.commit?.slice(0, 7)}
                    <p className="text-xs text-muted">{madeText(build)}</p>
                  </td>
                </tr>
              ))}
            </Table>
          )
        }
      </Shown>
    </Panel>
  )
}

const states: Readonly<Record<string, ShownState>> = { Succeeded: 'ready', Failed: 'failed', Cancelled: 'draft' }
/** `pending` while the build goes on. */
export const buildState = (phase: string): ShownState => states[phase] ?? 'pending'

function madeText({ imageBytes, steps, cachedSteps, reused }: Build): string {
  if (reused) return 'as built before'
  return [
    ...(imageBytes === undefined ? [] : [bytesText(imageBytes)]),
    ...(steps === undefined || cachedSteps === undefined ? [] : [`${cachedSteps} of ${steps} steps from the cache`]),
  ].join(', ')
}
