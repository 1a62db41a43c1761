/** The login of a database elsewhere: where it is, and another password or place. */
import { databaseOperations } from '../../contract/databases/operations.ts'
import type { ParamsInput } from '../../contract/operations.ts'
import { useWrite } from '../data/queries.ts'
import { EditForm } from '../ui/edit-form.tsx'
import { securityFields } from '../ui/login-fields.ts'
import { Panel } from '../ui/panel.tsx'
import { type Spec, textOf } from '../ui/spec.ts'

export function LoginPanel({ db, spec, why }: { db: string; spec: Spec; why: string | undefined }) {
  const change = useWrite('databases.change-login')
  return (
    <Panel title="Login at the server" note="tried at once">
      <EditForm
        whole
        button="Change the login"
        done="Saved, and being tried"
        why={why}
        schema={databaseOperations['databases.change-login'].params}
        values={{
          host: textOf(spec, 'externalHost'),
          port: textOf(spec, 'externalPort'),
          username: textOf(spec, 'externalUsername'),
          password: '',
          sslMode: '',
          caCertificate: '',
        }}
        fields={[
          { name: 'host', label: 'Host' },
          {
            name: 'port',
            label: 'Port',
            kind: 'number',
            hint: 'Left empty, it stays, or is that of the engine at another host',
          },
          { name: 'username', label: 'Login' },
          { name: 'password', label: 'Password', kind: 'secret', hint: 'Asked for with every change' },
          ...securityFields,
        ]}
        save={async (params) => {
          // The schema judged the fields.
          await change.mutateAsync({ db, ...params } as ParamsInput<'databases.change-login'>)
        }}
      />
    </Panel>
  )
}
