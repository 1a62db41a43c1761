/** Attaching to a service: it gets variables that refer to the connection, with its next deploy. */
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { sentenceOf } from '../data/api.ts'
import { useRead, useWrite } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { Button } from '../ui/button.tsx'
import { SelectField } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'
import { titleOf, type Summary } from '../ui/resources.tsx'

export function AttachPanel({
  resource,
  kind,
  gives,
}: {
  resource: Summary
  kind: 'database' | 'object-store'
  gives: string
}) {
  const { canMutate } = useMe()
  const { project, environment, name } = resource
  const apps = useRead('apps.list', { project, environment }, { enabled: project !== '' }).data?.items ?? []
  const attach = useWrite('apps.attach')
  const [app, setApp] = useState('')
  if (!canMutate || project === '') return null
  return (
    <Panel title="Attach to a service" note={gives}>
      <div className="flex flex-col gap-3">
        <SelectField label="Service" value={app} onChange={(event) => setApp(event.target.value)}>
          <option value="">Choose one</option>
          {apps.map((each) => (
            <option key={each.name} value={each.name}>
              {titleOf(each)}
            </option>
          ))}
        </SelectField>
        {attach.isError && <Notice kind="failed">{sentenceOf(attach.error)}</Notice>}
        {attach.isSuccess && (
          <Notice kind="info">
            Attached; it takes effect with the next deploy of{' '}
            <Link to="/services/$app" params={{ app: attach.variables.app }} className="underline">
              {attach.variables.app}
            </Link>
            .
          </Notice>
        )}
        <div>
          <Button
            busy={attach.isPending}
            why={app === '' ? 'Choose a service first' : undefined}
            onClick={() => attach.mutate({ app, name, kind })}
          >
            Attach
          </Button>
        </div>
      </div>
    </Panel>
  )
}
