/** Which variables that the project shares a service gets. */
import { useState } from 'react'
import { sentenceOf } from '../data/api.ts'
import { useRead, useWrite } from '../data/queries.ts'
import { Button } from '../ui/button.tsx'
import { CheckField } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'
import { listOf, textOf, type Spec } from '../ui/spec.ts'

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
            <Choice key={chosen.join()} app={app} names={names} shared={shared} chosen={chosen} />
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
  const [picked, setPicked] = useState<ReadonlySet<string>>(new Set(chosen))
  const save = useWrite('apps.shared-variables-save')
  const isChanged = picked.size !== chosen.length || chosen.some((name) => !picked.has(name))
  const toggle = (name: string) => {
    const next = new Set(picked)
    if (!next.delete(name)) next.add(name)
    setPicked(next)
  }
  return (
    <div className="flex flex-col gap-4">
      <fieldset className="flex flex-col gap-2">
        <legend className="sr-only">Shared variables of this service</legend>
        {names.map((name) => (
          <CheckField
            key={name}
            label={name}
            hint={shared.includes(name) ? undefined : 'The project shares it no longer'}
            checked={picked.has(name)}
            onChange={() => toggle(name)}
          />
        ))}
      </fieldset>
      {save.isError && <Notice kind="failed">{sentenceOf(save.error)}</Notice>}
      <p className="text-xs text-muted">
        {picked.size === 0 ? 'None is chosen, so it gets all of them.' : 'It gets those that are chosen.'}
      </p>
      <div>
        <Button
          kind="primary"
          busy={save.isPending}
          why={isChanged ? undefined : 'Nothing was changed'}
          onClick={() => save.mutate({ app, sharedVariable: names.filter((name) => picked.has(name)) })}
        >
          Save the choice
        </Button>
      </div>
    </div>
  )
}
