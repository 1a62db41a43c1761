/** Which pushes deploy a service from git, and the webhook of a git server that is not the connected one. */
import { appOperations } from '../../../contract/apps/operations.ts'
import { call, sentenceOf } from '../../data/api.ts'
import { useRead, useWrite } from '../../data/queries.ts'
import { useMe } from '../../data/session.ts'
import { Button } from '../../ui/button.tsx'
import { DeleteButton } from '../../ui/confirm.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { EditForm } from '../../ui/edit-form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Facts, live, Panel } from '../../ui/panel.tsx'
import { Shown } from '../../ui/read.tsx'
import { useRevealed } from '../../ui/revealed.ts'
import { linesOf } from '../../ui/spec.ts'
import type { ServiceProps } from '../service-props.ts'
import { useSettings } from '../use-settings.ts'

export function PushesPanel({ app, detail: { spec } }: ServiceProps) {
  const { canMutate } = useMe()
  const edit = useSettings(app)
  return (
    <Panel title="Pushes" actions={live}>
      <div className="flex flex-col gap-6">
        <EditForm
          button="Apply"
          done="Applied"
          {...edit}
          schema={appOperations['apps.update'].params}
          values={{ watchPatterns: linesOf(spec, 'source.git.watchPatterns') }}
          fields={[
            {
              name: 'watchPatterns',
              label: 'Paths whose change deploys',
              kind: 'lines',
              placeholder: 'web/**',
              hint: 'One pattern a line; left empty, every push to the branch deploys',
            },
          ]}
        />
        {canMutate && <GitWebhook app={app} />}
      </div>
    </Panel>
  )
}

/** See docs/reference/githost.md#other-git-servers. */
function GitWebhook({ app }: { app: string }) {
  const webhook = useRead('apps.git-webhook', { app })
  const rotate = useWrite('apps.git-webhook-rotate', { touches: ['apps.git-webhook'] })
  const secret = useRevealed(async () => (await call('apps.git-webhook', { app, reveal: true })).secret ?? '')
  const failed = secret.failed ?? (rotate.error === null ? undefined : sentenceOf(rotate.error))
  return (
    <section aria-label="Git webhook" className="flex flex-col gap-3 border-t border-line pt-4">
      <p className="text-sm text-muted">
        For Gitea, Forgejo and GitLab: a webhook in the settings of the repository, for pushes alone, at Gitea and
        Forgejo with the content type application/json.
      </p>
      <Shown of={webhook} what="the git webhook">
        {({ url, configured }) => (
          <>
            {failed !== undefined && <Notice kind="failed">{failed}</Notice>}
            <Facts
              rows={[
                ['Address', <Copyable key="url" text={url} what="the address of the git webhook" />],
                [
                  'Secret',
                  secret.value !== undefined ? (
                    <Copyable key="secret" text={secret.value} what="the secret of the git webhook" />
                  ) : (
                    <span key="secret" className="text-muted">
                      {configured ? 'hidden' : 'There is none yet, so no delivery is taken'}
                    </span>
                  ),
                ],
              ]}
            />
            <div className="flex flex-wrap gap-2">
              {!configured && (
                <Button
                  busy={rotate.isPending}
                  onClick={() => rotate.mutate({ app }, { onSuccess: (made) => secret.show(made.secret) })}
                >
                  Make a secret
                </Button>
              )}
              {configured && (
                <Button onClick={() => (secret.value === undefined ? void secret.reveal() : secret.hide())}>
                  {secret.value === undefined ? 'Reveal the secret' : 'Hide'}
                </Button>
              )}
              {configured && (
                <DeleteButton
                  what="git webhook secret"
                  name={app}
                  verb="Replace"
                  goes={[
                    'the secret that the git server signs with: its deliveries are refused until it has the new one',
                  ]}
                  remove={async () => secret.show((await rotate.mutateAsync({ app })).secret)}
                />
              )}
            </div>
          </>
        )}
      </Shown>
    </section>
  )
}
