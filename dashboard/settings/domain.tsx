/** The domain of the platform: services get addresses below it, and the dashboard one of its own. */
import { settingsOperations } from '../../contract/settings/operations.ts'
import { useEdit, useRead, useWrite } from '../data/queries.ts'
import { DeleteButton } from '../ui/confirm.tsx'
import { Copyable } from '../ui/copy.tsx'
import { EditForm } from '../ui/edit-form.tsx'
import { Panel } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'
import { Checked } from './checked.tsx'

export function Domain() {
  const domain = useRead('settings.domain', {})
  const edit = useEdit('settings.domain-save', 'settings.domain', {})
  const clear = useWrite('settings.domain-clear')
  return (
    <Panel title="Domain">
      <Shown of={domain} what="the domain">
        {({ rootDomain, dashboardURL, dashboardExposure, ...check }) => (
          <div className="flex flex-col gap-4">
            <Checked {...check} />
            {rootDomain !== '' && !check.ready && (
              <p className="text-sm text-muted">
                The DNS of <Copyable text={`*.${rootDomain}`} what="the name of the record" /> has to lead to the public
                address of the cluster.
              </p>
            )}
            <EditForm
              button="Save"
              schema={settingsOperations['settings.domain-save'].params}
              {...edit}
              values={{
                rootDomain,
                dashboardURL: dashboardURL,
                dashboardExposure: dashboardExposure === '' ? 'ingress' : dashboardExposure,
              }}
              fields={[
                { name: 'rootDomain', label: 'Root domain', placeholder: 'example.com' },
                { name: 'dashboardURL', label: 'Address of the dashboard', placeholder: 'https://svc.example.com' },
                {
                  name: 'dashboardExposure',
                  label: 'How it is reached',
                  kind: 'select',
                  options: [
                    ['ingress', 'by the ingress of the cluster'],
                    ['cloudflare-tunnel', 'by a tunnel of the DNS provider'],
                  ],
                },
              ]}
            />
            {check.configured && (
              <div>
                <DeleteButton
                  what="domain"
                  name={rootDomain === '' ? dashboardURL : rootDomain}
                  verb="Forget"
                  goes={['the addresses of services below it', 'the address of the dashboard']}
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
