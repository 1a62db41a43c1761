/** Outgoing webhooks: where events of deploys go; a test delivery says at once how it went. */
import { useState } from 'react'
import { projectOperations } from '../../contract/projects/operations.ts'
import { sentenceOf } from '../data/api.ts'
import { useWrite } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { Button } from '../ui/button.tsx'
import { ConfirmButton, DeleteButton } from '../ui/confirm.tsx'
import { Copyable } from '../ui/copy.tsx'
import { EditForm } from '../ui/edit-form.tsx'
import { Notice } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'
import { flagOf, listOf, textOf, type Spec } from '../ui/spec.ts'

export function Webhooks({ name, spec }: { name: string; spec: Spec }) {
  const { canMutate } = useMe()
  const save = useWrite('projects.webhooks-save')
  const [made, setMade] = useState(0)
  const [secret, setSecret] = useState<string>()
  if (!canMutate) return null
  return (
    <Panel title="Webhooks" note="signed events of deploys and backups">
      <div className="flex flex-col gap-4">
        {secret !== undefined && (
          <Notice kind="info">
            The signing secret, shown only now: <Copyable text={secret} what="the signing secret" />
          </Notice>
        )}
        {(listOf(spec, 'webhooks') as readonly Spec[]).map((webhook) => (
          <Webhook key={textOf(webhook, 'id')} project={name} webhook={webhook} onSecret={setSecret} />
        ))}
        <EditForm
          key={made}
          whole
          button="Add a webhook"
          schema={projectOperations['projects.webhooks-save'].params}
          save={async (params) => {
            const answer = await save.mutateAsync({ project: name, url: textOf(params, 'url') })
            setSecret(answer.secret)
            setMade(made + 1)
          }}
          values={{ url: '' }}
          fields={[
            {
              name: 'url',
              label: 'Address',
              placeholder: 'https://hooks.example.com/svc',
              hint: 'It gets every event of deploys; 20 webhooks at most',
            },
          ]}
        />
      </div>
    </Panel>
  )
}

function Webhook({
  project,
  webhook,
  onSecret,
}: {
  project: string
  webhook: Spec
  onSecret: (secret: string) => void
}) {
  const id = textOf(webhook, 'id')
  const disabled = flagOf(webhook, 'disabled')
  const save = useWrite('projects.webhooks-save')
  const rotate = useWrite('projects.webhooks-rotate')
  const remove = useWrite('projects.webhooks-delete')
  const test = useWrite('projects.webhooks-test')
  const failed = save.error ?? test.error
  const events = listOf(webhook, 'events')
  return (
    <div className="flex flex-col gap-2 rounded border border-line p-3">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <span className="min-w-0 text-sm wrap-anywhere">
          {textOf(webhook, 'url')}
          <span className="block text-xs text-muted">
            {disabled ? 'off' : events.length === 0 ? 'every event of deploys' : events.join(', ')}
          </span>
        </span>
        <span className="flex flex-wrap gap-2">
          <Button small busy={test.isPending} onClick={() => test.mutate({ project, id })}>
            Test
          </Button>
          <Button small busy={save.isPending} onClick={() => save.mutate({ project, id, disabled: !disabled })}>
            {disabled ? 'Turn on' : 'Turn off'}
          </Button>
          <ConfirmButton
            small
            label="New secret"
            title="Make a new signing secret?"
            verb="Make a new secret"
            keep="Keep the secret"
            act={async () => onSecret((await rotate.mutateAsync({ project, id })).secret)}
          >
            <p className="text-muted">
              The next events are signed with the new one: who verifies them with the old one refuses them until it gets
              the new one.
            </p>
          </ConfirmButton>
          <DeleteButton
            what="webhook"
            name={id}
            goes={['its signing secret', 'deliveries that were not made yet']}
            remove={() => remove.mutateAsync({ project, id })}
          />
        </span>
      </div>
      {failed !== null && <Notice kind="failed">{sentenceOf(failed)}</Notice>}
      {test.isSuccess && (
        <Notice kind={test.data.ok ? 'info' : 'warning'}>
          {test.data.ok ? 'Delivered' : 'Not delivered'}
          {test.data.delivery.status === undefined ? '' : `, it answered ${test.data.delivery.status}`}
          {test.data.delivery.error === undefined ? '.' : `: ${test.data.delivery.error}.`}
        </Notice>
      )}
    </div>
  )
}
