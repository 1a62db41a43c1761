/** Going back to a deployment: what that brings back and, as important, what it does not. */
import type { View } from '../../../contract/operations.ts'
import { sentenceOf } from '../../data/api.ts'
import { useRead, useWrite } from '../../data/queries.ts'
import { Button } from '../../ui/button.tsx'
import { FieldTable } from '../../ui/diff.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Shown } from '../../ui/read.tsx'
import { Ago } from '../../ui/time.tsx'

type Deployment = View<'apps.deployments'>['items'][number]

export function RollBack({ app, to, onClose }: { app: string; to: Deployment; onClose: () => void }) {
  const rollback = useWrite('apps.rollback')
  const compared = useRead('apps.deployment-changes', { app, id: to.id })
  return (
    <div className="flex flex-col gap-4">
      <p className="text-sm">
        To “{to.changeTitle}”, <Ago at={to.startedAt ?? to.createdAt} />. It is deployed at once, as a new deployment.
      </p>
      <Shown of={compared} what="what goes back">
        {({ changes }) => (
          <Preview
            back={changes.filter(({ goesBack }) => goesBack)}
            stays={changes.filter(({ goesBack }) => !goesBack)}
          />
        )}
      </Shown>
      {rollback.isError && <Notice kind="failed">{sentenceOf(rollback.error)}</Notice>}
      <div className="flex justify-end gap-2">
        <Button onClick={onClose}>Leave it</Button>
        <Button
          kind="primary"
          busy={rollback.isPending}
          onClick={() => rollback.mutate({ app, revision: to.id }, { onSuccess: onClose })}
        >
          Roll back
        </Button>
      </div>
    </div>
  )
}

type Changes = View<'apps.deployment-changes'>['changes']

function Preview({ back, stays }: { back: Changes; stays: Changes }) {
  return (
    <>
      <section aria-label="Goes back" className="flex flex-col gap-1">
        <h3 className="text-sm font-semibold">Goes back</h3>
        {back.length === 0 ? (
          <p className="text-sm text-muted">Nothing: image and number of copies are those that run.</p>
        ) : (
          <FieldTable changes={back} before="Runs now" after="After it" />
        )}
      </section>
      <section aria-label="Stays as it runs" className="flex flex-col gap-1">
        <h3 className="text-sm font-semibold">Stays as it runs</h3>
        <p className="text-sm text-muted">
          Variables, secrets, hosts and other settings
          {stays.length === 0 ? ', which are the same as then.' : '. These were different then:'}
        </p>
        {stays.length > 0 && <FieldTable changes={stays} before="Runs now, and stays" after="Then" />}
      </section>
    </>
  )
}
