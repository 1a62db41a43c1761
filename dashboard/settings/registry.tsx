/** The registry that builds are pushed to; its login is never read back. */
import { settingsOperations } from '../../contract/settings/operations.ts'
import { useEdit, useRead, useWrite } from '../data/queries.ts'
import { DeleteButton } from '../ui/confirm.tsx'
import { EditForm } from '../ui/edit-form.tsx'
import { Panel } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'

export function Registry() {
  const registry = useRead('settings.registry', {})
  const edit = useEdit('settings.registry-save', 'settings.registry', {})
  const clear = useWrite('settings.registry-clear')
  return (
    <Panel title="Registry" note="where builds are pushed">
      <Shown of={registry} what="the registry">
        {({ repository, configured, hasLogin }) => (
          <div className="flex flex-col gap-4">
            <p className="text-sm text-muted">
              {configured
                ? hasLogin
                  ? 'Set up, with a login.'
                  : 'Set up, without a login.'
                : 'Not set up: builds have nowhere to go.'}
            </p>
            <EditForm
              button="Save"
              schema={settingsOperations['settings.registry-save'].params}
              {...edit}
              save={(params, version) => {
                const keepExisting = hasLogin && (params['password'] ?? '') === ''
                return edit.save({ repository, keepExisting, ...params }, version)
              }}
              values={{ repository, username: '', password: '' }}
              fields={[
                { name: 'repository', label: 'Repository', placeholder: 'registry.example.com/team' },
                { name: 'username', label: 'User name', hint: 'User name and password together, or neither' },
                { name: 'password', label: 'Password', kind: 'secret' },
              ]}
            />
            {configured && (
              <div>
                <DeleteButton
                  what="registry"
                  name={repository}
                  verb="Forget"
                  goes={['the stored login']}
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
