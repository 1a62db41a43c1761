/** What the cluster has, and what is reserved of it. */
import { useRead } from '../data/queries.ts'
import { Panel } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'
import { Skeleton } from '../ui/notice.tsx'
import { Meter, bytesText, coresText } from '../ui/meter.tsx'

export function Capacity() {
  const usage = useRead('usage.get', {})
  return (
    <Panel title="Capacity of the cluster" note="what copies reserve, of what nodes have">
      <Shown of={usage} what="the usage of the cluster" loading={<Skeleton rows={2} label="Loading the usage" />}>
        {({ cpuAllocatableMillis, memoryAllocatableBytes, platform, nodes }) => (
          <div className="grid gap-x-8 gap-y-4 sm:grid-cols-2">
            <Meter
              label="CPU"
              value={platform.cpuReservedMillis}
              of={cpuAllocatableMillis}
              text={`${coresText(platform.cpuReservedMillis)} of ${coresText(cpuAllocatableMillis)} cores`}
            />
            <Meter
              label="Memory"
              value={platform.memoryReservedBytes}
              of={memoryAllocatableBytes}
              text={`${bytesText(platform.memoryReservedBytes)} of ${bytesText(memoryAllocatableBytes)}`}
            />
            <p className="text-xs text-muted sm:col-span-2">
              {nodes} {nodes === 1 ? 'node' : 'nodes'}, {platform.pods} running pods
            </p>
          </div>
        )}
      </Shown>
    </Panel>
  )
}
