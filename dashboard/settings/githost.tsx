/** The app at the git host: with it services are built from repositories; its secrets are never read back. */
import { settingsOperations } from '../../contract/settings/operations.ts'
import { useEdit, useRead, useWrite } from '../data/queries.ts'
import { DeleteButton } from '../ui/confirm.tsx'
import { EditForm } from '../ui/edit-form.tsx'
import { Panel } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'

export function GitHost() {
  const githost = useRead('settings.githost', {})
  const edit = useEdit('settings.githost-save', 'settings.githost', {})
  const clear = useWrite('settings.githost-clear')
  return (
    <Panel title="Git host" note="the app that reads repositories">
      <Shown of={githost} what="the git host">
        {({ appId, clientId, slug, configured }) => (
          <div className="flex flex-col gap-4">
            <p className="text-sm text-muted">{configured ? 'Set up.' : 'Not set up.'}</p>
            <EditForm
              button="Save"
              schema={settingsOperations['settings.githost-save'].params}
              {...edit}
              save={(params, version) => edit.save({ keepExisting: configured, ...params }, version)}
              values={{ appId, clientId, slug, clientSecret: '', privateKey: '', webhookSecret: '' }}
              fields={[
                { name: 'appId', label: 'App ID' },
                { name: 'clientId', label: 'Client ID' },
                { name: 'slug', label: 'Slug' },
                { name: 'clientSecret', label: 'Client secret', kind: 'secret' },
                { name: 'webhookSecret', label: 'Webhook secret', kind: 'secret' },
                {
                  name: 'privateKey',
                  label: 'Private key (PEM)',
                  kind: 'secret',
                  hint: configured ? 'Secrets that are left empty stay' : undefined,
                },
              ]}
            />
            {configured && (
              <div>
                <DeleteButton
                  what="git-host app"
                  name={slug}
                  verb="Forget"
                  goes={['its secrets', 'the link of every project to its repositories']}
                  remove={() => clear.mutateAsync({})}
                />
              </div>
            )}
          </div>
        )}
      </Shown>
    </Panel>
  )
}
