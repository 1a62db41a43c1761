/** The DNS provider: with it records are made and tunnels run by themselves. */
import { settingsOperations } from '../../contract/settings/operations.ts'
import { useEdit, useRead, useWrite } from '../data/queries.ts'
import { DeleteButton } from '../ui/confirm.tsx'
import { EditForm } from '../ui/edit-form.tsx'
import { Panel } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'
import { Checked } from './checked.tsx'

export function DnsProvider() {
  const provider = useRead('settings.dns-provider', {})
  const edit = useEdit('settings.dns-provider-save', 'settings.dns-provider', {})
  const clear = useWrite('settings.dns-provider-clear')
  return (
    <Panel title="DNS provider" note="Cloudflare">
      <Shown of={provider} what="the DNS provider">
        {({ accountId, zoneName, zoneId, zones: _, ...check }) => (
          <div className="flex flex-col gap-4">
            <Checked {...check} />
            <EditForm
              button="Save"
              schema={settingsOperations['settings.dns-provider-save'].params}
              {...edit}
              save={(params, version) => edit.save({ keepExisting: check.configured, ...params }, version)}
              values={{ apiToken: '', accountId, zoneName, zoneId }}
              fields={[
                {
                  name: 'apiToken',
                  label: 'API token',
                  kind: 'secret',
                  hint: check.configured ? 'Left empty, the stored one is kept' : 'With rights on the DNS of the zone',
                },
                { name: 'accountId', label: 'Account ID' },
                { name: 'zoneName', label: 'Zone', placeholder: 'example.com' },
                { name: 'zoneId', label: 'Zone ID', hint: 'Left empty, it is found by the root domain' },
              ]}
            />
            {check.configured && (
              <div>
                <DeleteButton
                  what="DNS provider"
                  name={zoneName === '' ? 'provider' : zoneName}
                  verb="Disconnect"
                  goes={['the stored API token', 'upkeep of DNS records and of the tunnel']}
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
