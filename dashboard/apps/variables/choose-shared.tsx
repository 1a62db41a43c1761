/** Which variables that the project shares a service gets. */
import { appOperations } from '../../../contract/apps/operations.ts'
import { useEdit, useRead } from '../../data/queries.ts'
import { EditForm } from '../../ui/edit-form.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Shown } from '../../ui/read.tsx'
import { listOf, textOf, type Spec } from '../../ui/spec.ts'

interface Props {
  readonly app: string
  readonly project: string
  readonly environment: string
  /** Names that it gets by what is saved now. */
  readonly chosen: readonly string[]
}

/** For those who may change things. */
export function ChooseShared({ app, project, environment, chosen }: Props) {
  const detail = useRead('projects.get', { project })
  return (
    <Panel title="Shared variables" note="of the project; with the next deploy">
      <Shown of={detail} what="the shared variables of the project">
        {({ spec }) => {
          const shared = (listOf(spec, 'sharedVariables') as readonly Spec[])
            .filter((each) => ['', environment].includes(textOf(each, 'environment')))
            .map((each) => textOf(each, 'name'))
          // One that was taken from the project stays to be seen, so that it can be given up.
          const names = [...new Set([...shared, ...chosen])].toSorted()
          return names.length === 0 ? (
            <p className="text-sm text-muted">The project shares none with this environment; its settings add some.</p>
          ) : (
            <Choice app={app} names={names} shared={shared} chosen={chosen} />
          )
        }}
      </Shown>
    </Panel>
  )
}

interface ChoiceProps {
  readonly app: string
  readonly names: readonly string[]
  readonly shared: readonly string[]
  readonly chosen: readonly string[]
}

function Choice({ app, names, shared, chosen }: ChoiceProps) {
  const edit = useEdit('apps.shared-variables-save', 'apps.get', { app })
  const pickedOf = (params: Record<string, unknown>) =>
    names.filter((name) => (name in params ? params[name] === true : chosen.includes(name)))
  return (
    <EditForm
      button="Save the choice"
      schema={appOperations['apps.shared-variables-save'].params}
      {...edit}
      values={Object.fromEntries(names.map((name) => [name, chosen.includes(name)]))}
      fields={names.map((name) => ({
        name,
        label: name,
        kind: 'check',
        hint: shared.includes(name) ? undefined : 'The project shares it no longer',
      }))}
      foresee={(params) => (
        <p className="text-xs text-muted">
          {pickedOf(params).length === 0
            ? 'Once saved it gets all of them.'
            : 'Once saved it gets those that are chosen.'}
        </p>
      )}
      save={(params, version) => edit.save({ sharedVariable: pickedOf(params) }, version)}
    >
      <p className="text-xs text-muted">
        {chosen.length === 0 ? 'None is chosen, so it gets all of them.' : 'It gets those that are chosen.'}
      </p>
    </EditForm>
  )
}
