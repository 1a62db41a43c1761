/** What cannot be made undone, apart from everything else. */
import { useWrite } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { DeleteButton } from '../ui/confirm.tsx'
import { Panel } from '../ui/panel.tsx'
import { isThere } from '../ui/spec.ts'
import type { ServiceProps } from './service-props.ts'

export function Danger({ app, detail: { resource, spec, status } }: ServiceProps) {
  const { canMutate } = useMe()
  const remove = useWrite('apps.delete')
  return (
    <div className="max-w-3xl">
      <Panel title="Delete the service">
        <p className="mb-4 text-sm text-muted">
          Everything of the service goes and cannot be brought back. Databases and buckets stay.
        </p>
        <DeleteButton
          what="service"
          name={app}
          why={
            canMutate
              ? resource.state === 'deleting'
                ? 'It is being deleted already'
                : undefined
              : 'Only administrators delete services'
          }
          goes={[
            'its copies, at once',
            'its variables and secrets',
            'its public address',
            'the records of its deployments',
            ...(isThere(spec, 'volume') || isThere(status, 'volume') ? ['its volume, with all the data on it'] : []),
          ]}
          remove={(confirmName) => remove.mutateAsync({ app, confirmName })}
        />
      </Panel>
    </div>
  )
}
