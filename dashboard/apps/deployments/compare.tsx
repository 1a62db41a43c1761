/** What any two deployments of a service differ in. */
import { useState } from 'react'
import type { View } from '../../../contract/operations.ts'
import { useRead } from '../../data/queries.ts'
import { FieldTable } from '../../ui/diff.tsx'
import { SelectField } from '../../ui/field.tsx'
import { Shown } from '../../ui/read.tsx'
import { exactTime } from '../../ui/time.tsx'

type Deployment = View<'apps.deployments'>['items'][number]

const said = ({ changeTitle, startedAt, createdAt }: Deployment): string =>
  `${changeTitle}, ${exactTime(startedAt ?? createdAt)}`

/** At first with the deployment before it; the list is newest first. */
export function Compare({ app, of, all }: { app: string; of: Deployment; all: readonly Deployment[] }) {
  const before = all[all.indexOf(of) + 1]?.id ?? ''
  const [from, setFrom] = useState(before)
  const compared = useRead(
    'apps.deployment-changes',
    { app, id: of.id, ...(from === '' ? {} : { from }) },
    { keep: true },
  )
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm text-muted">{said(of)}</p>
      <SelectField label="Compared with" value={from} onChange={(event) => setFrom(event.target.value)}>
        <option value="">what runs now</option>
        {all
          .filter(({ id }) => id !== of.id)
          .map((each) => (
            <option key={each.id} value={each.id}>
              {said(each)}
              {each.id === before ? ' (the one before)' : ''}
            </option>
          ))}
      </SelectField>
      <Shown of={compared} what="the difference">
        {({ changes }) =>
          changes.length === 0 ? (
            <p className="text-sm">
              They deployed the same, apart from values of secret variables, which are not compared.
            </p>
          ) : (
            <>
              <FieldTable changes={changes} before={from === '' ? 'Runs now' : 'Compared with'} after="This one" />
              <p className="text-xs text-muted">Values of secret variables are not compared.</p>
            </>
          )
        }
      </Shown>
    </div>
  )
}
