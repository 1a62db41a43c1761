/** Variables that the services of a project share; secret ones by name alone. */
import { useState } from 'react'
import { projectOperations } from '../../contract/projects/operations.ts'
import type { ParamsInput } from '../../contract/operations.ts'
import { useWrite } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { EditForm } from '../ui/edit-form.tsx'
import { NameCell, Panel, Table } from '../ui/panel.tsx'
import { RemoveButton } from '../ui/remove.tsx'
import { isThere, listOf, textOf, type Spec } from '../ui/spec.ts'

export function SharedVariables({ name, spec }: { name: string; spec: Spec }) {
  const { canMutate } = useMe()
  const save = useWrite('projects.variables-save')
  const remove = useWrite('projects.variables-delete')
  const [made, setMade] = useState(0)
  const variables = listOf(spec, 'sharedVariables') as readonly Spec[]
  const environments = listOf(spec, 'environments').map(String)
  if (!canMutate) return null
  return (
    <Panel title="Shared variables" note="with the next deploy of each service" flush>
      {variables.length > 0 && (
        <Table label="Shared variables" head={['Name', 'Environment', 'Value', '']}>
          {variables.map((variable) => {
            const [key, environment] = [textOf(variable, 'name'), textOf(variable, 'environment')]
            return (
              <tr key={`${key} ${environment}`}>
                <NameCell className="font-mono text-xs">{key}</NameCell>
                <td>{environment === '' ? 'every one' : environment}</td>
                <td className="max-w-64 truncate font-mono text-xs">
                  {isThere(variable, 'secretRef') ? (
                    <span className="font-sans text-muted">hidden</span>
                  ) : (
                    textOf(variable, 'value')
                  )}
                </td>
                <td className="text-right">
                  <RemoveButton
                    name={key}
                    act={() =>
                      remove.mutateAsync({ project: name, name: key, ...(environment === '' ? {} : { environment }) })
                    }
                  >
                    Its value is lost. Services have it until the next deploy of each.
                  </RemoveButton>
                </td>
              </tr>
            )
          })}
        </Table>
      )}
      <div className="p-4">
        <EditForm
          key={made}
          whole
          button="Set"
          schema={projectOperations['projects.variables-save'].params}
          save={async (params) => {
            await save.mutateAsync({ project: name, value: '', ...params } as ParamsInput<'projects.variables-save'>)
            setMade(made + 1)
          }}
          values={{ name: '', environment: '', value: '', secret: false }}
          fields={[
            { name: 'name', label: 'Name', placeholder: 'LOG_LEVEL' },
            { name: 'value', label: 'Value' },
            {
              name: 'environment',
              label: 'Environment',
              kind: 'select',
              options: [['', 'every one'], ...environments.map((each): [string, string] => [each, each])],
            },
            { name: 'secret', label: 'Secret', kind: 'check', hint: 'Never shown again' },
          ]}
        />
      </div>
    </Panel>
  )
}
