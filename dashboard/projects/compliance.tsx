/** The tags that nodes must carry for the copies of a project, and how far that is kept. */
import { projectOperations } from '../../contract/projects/operations.ts'
import { useEdit, useRead } from '../data/queries.ts'
import { EditForm } from '../ui/edit-form.tsx'
import { Foreseen } from '../ui/foreseen.tsx'
import { Notice } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'
import { linesOf, type Spec } from '../ui/spec.ts'

export function Compliance({ name, spec, why }: { name: string; spec: Spec; why: string | undefined }) {
  const compliance = useRead('projects.compliance', { project: name })
  const edit = useEdit('projects.compliance-save', 'projects.get', { project: name })
  return (
    <Panel title="Compliance" note="which nodes its copies may run on">
      <Shown of={compliance} what="the compliance">
        {({ databases, openNodes }) => {
          const astray = databases.filter(({ compliant }) => !compliant)
          return (
            <div className="flex flex-col gap-4">
              {astray.length > 0 && (
                <Notice kind="warning">
                  Not on such nodes:{' '}
                  {astray.map((each) => `${each.name} (lacks ${each.missing.join(', ')})`).join('; ')}.
                </Notice>
              )}
              {openNodes.length > 0 && (
                <Notice kind="warning">
                  Nodes with a required tag that let others in as well: {openNodes.join(', ')}.
                </Notice>
              )}
              <EditForm
                button="Apply"
                done="Applied"
                why={why}
                {...edit}
                schema={projectOperations['projects.compliance-save'].params}
                foresee={(params) => (
                  <Foreseen of="projects.placement-warnings" params={{ project: name, ...params }} />
                )}
                values={{ requiredTags: linesOf(spec, 'requiredTags') }}
                fields={[
                  {
                    name: 'requiredTags',
                    label: 'Required tags',
                    kind: 'lines',
                    placeholder: 'pci',
                    hint: 'One a line; left empty, any node of the region',
                  },
                ]}
              />
            </div>
          )
        }}
      </Shown>
    </Panel>
  )
}
