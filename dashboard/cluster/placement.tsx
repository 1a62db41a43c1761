/** Region, zone and tags of a node: a save replaces all of them, and says what it means for what requires them. */
import type { View } from '../../contract/operations.ts'
import { useState } from 'react'
import { nodeOperations } from '../../contract/nodes/operations.ts'
import { call } from '../data/api.ts'
import { readAfter } from '../data/own-writes.ts'
import { useRead } from '../data/queries.ts'
import { EditForm } from '../ui/edit-form.tsx'
import { Foreseen } from '../ui/foreseen.tsx'
import { Notice } from '../ui/notice.tsx'

export type ClusterNode = View<'nodes.list'>['items'][number]

export function Placement({ node }: { node: ClusterNode }) {
  const { refetch } = useRead('nodes.list', {})
  const [warnings, setWarnings] = useState<readonly string[]>([])
  const of = (wanted: (tag: ClusterNode['tags'][number]) => boolean): string[] =>
    node.tags.filter(wanted).map(({ name }) => name)
  const now = {
    region: node.region,
    zone: node.zone,
    tags: of(({ reserved, compliance }) => !reserved && !compliance),
    reserved: of(({ reserved, compliance }) => reserved && !compliance),
    compliance: of(({ compliance }) => compliance),
  }
  return (
    <div className="flex flex-col gap-4">
      {warnings.map((warning) => (
        <Notice key={warning} kind="warning">
          {warning}
        </Notice>
      ))}
      <EditForm
        button="Save"
        schema={nodeOperations['nodes.placement'].params}
        values={{
          ...now,
          tags: now.tags.join('\n'),
          reserved: now.reserved.join('\n'),
          compliance: now.compliance.join('\n'),
        }}
        fields={[
          { name: 'region', label: 'Region' },
          { name: 'zone', label: 'Zone' },
          { name: 'tags', label: 'Tags', kind: 'lines', hint: 'One a line; services may ask to run on them' },
          { name: 'reserved', label: 'Reserved tags', kind: 'lines', hint: 'Only what asks for the tag runs here' },
          {
            name: 'compliance',
            label: 'Compliance tags',
            kind: 'lines',
            hint: 'Projects may require them; always reserved',
          },
        ]}
        foresee={(params) => <Foreseen of="nodes.placement-warnings" params={{ node: node.name, ...params }} />}
        version={node.version}
        reload={refetch}
        save={async (params, ifMatch) => {
          const answer = await call('nodes.placement', { node: node.name, ...now, ...params }, { ifMatch })
          setWarnings(answer.warnings)
          await readAfter('nodes.placement', { node: node.name })
        }}
      />
      <p className="text-xs text-muted">What runs already is not moved.</p>
    </div>
  )
}
