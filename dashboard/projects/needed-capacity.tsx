/** What a deploy of the pending changes needs of the cluster, and whether the cluster has it. */
import type { View } from '../../contract/operations.ts'
import type { Read } from '../data/queries.ts'
import { bytesText, coresText } from '../ui/meter.tsx'
import { Notice } from '../ui/notice.tsx'
import { Facts, Panel } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'

type Needed = View<'projects.capacity'>

const sizeText = ({ cpuMillis, memoryBytes }: Needed['total']): string =>
  `${coresText(cpuMillis)} cores and ${bytesText(memoryBytes)}`

export function NeededCapacity({ of: read }: { of: Read<'projects.capacity'> }) {
  return (
    <Panel title="Capacity" note="beyond what the copies have that run now">
      <Shown of={read} what="the capacity that a deploy needs">
        {({ total, free, items }) => (
          <div className="flex flex-col gap-3">
            <Facts
              rows={[
                ['A deploy of all needs', sizeText(total)],
                ['Free in the cluster', free === null ? 'not known: the nodes could not be read' : sizeText(free)],
              ]}
            />
            {items.some(({ refusal }) => refusal !== undefined) && (
              <Notice kind="warning">As it is now, a deploy would refuse what is marked below.</Notice>
            )}
          </div>
        )}
      </Shown>
    </Panel>
  )
}

/** The capacity that one change needs; nothing while it is not known, or where it needs none. */
export function OwnCapacity({ item }: { item: Needed['items'][number] | undefined }) {
  if (item === undefined) return null
  if (item.refusal !== undefined) return <Notice kind="warning">{item.refusal}.</Notice>
  const copies = `${item.copies} ${item.copies === 1 ? 'copy' : 'copies'}`
  return (
    <p className="text-xs text-muted">
      {copies}: {item.cpuMillis === 0 && item.memoryBytes === 0 ? 'no more than it has now' : `${sizeText(item)} more`}
    </p>
  )
}
