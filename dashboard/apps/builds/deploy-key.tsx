/** The key with which svc reads the repository of a service over ssh; its private half is on no page. */
import { sentenceOf } from '../../data/api.ts'
import { useRead, useWrite } from '../../data/queries.ts'
import { Button } from '../../ui/button.tsx'
import { DeleteButton } from '../../ui/confirm.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Facts, Panel } from '../../ui/panel.tsx'
import { Shown } from '../../ui/read.tsx'

/** For those who may change things. */
export function DeployKeyPanel({ app }: { app: string }) {
  const key = useRead('apps.deploy-key', { app })
  const rotate = useWrite('apps.deploy-key-rotate')
  const remove = useWrite('apps.deploy-key-delete')
  return (
    <Panel title="Deploy key" note="for a repository that is read over ssh">
      <Shown of={key} what="the deploy key">
        {({ configured, publicKey = '', fingerprint = '', hosts }) => (
          <div className="flex flex-col gap-4">
            {configured ? (
              <Facts
                rows={[
                  ['Public key', <Copyable key="key" text={publicKey} what="the public key" />],
                  ['Fingerprint', <Copyable key="fingerprint" text={fingerprint} what="the fingerprint" />],
                  ['Known host', hosts.length === 0 ? 'The first build will say' : hosts.join(', ')],
                ]}
              />
            ) : (
              <p className="text-sm text-muted">
                There is none. Make one, and add its public half to the repository as a key that may read.
              </p>
            )}
            {rotate.isError && <Notice kind="failed">{sentenceOf(rotate.error)}</Notice>}
            {!configured && (
              <div>
                <Button busy={rotate.isPending} onClick={() => rotate.mutate({ app })}>
                  Make a deploy key
                </Button>
              </div>
            )}
            {configured && (
              <div className="flex flex-wrap gap-2">
                <DeleteButton
                  what="deploy key"
                  name={app}
                  verb="Replace"
                  goes={['the key that the git server has', 'the host key that is known']}
                  remove={() => rotate.mutateAsync({ app })}
                />
                <DeleteButton
                  what="deploy key"
                  name={app}
                  verb="Remove"
                  goes={['the key: builds over ssh fail from then on']}
                  remove={() => remove.mutateAsync({ app })}
                />
              </div>
            )}
          </div>
        )}
      </Shown>
    </Panel>
  )
}
