/** The signed-in user's own password. */
import { useState } from 'react'
import { userOperations } from '../../contract/users/operations.ts'
import type { ParamsInput } from '../../contract/operations.ts'
import { useWrite } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { EditForm } from '../ui/edit-form.tsx'
import { Notice } from '../ui/notice.tsx'
import { Panel } from '../ui/panel.tsx'

export function Account() {
  const { username, role } = useMe()
  const change = useWrite('users.change-password')
  const [made, setMade] = useState(0)
  return (
    <Panel title="Your password" note={`${username}, ${role}`}>
      {made > 0 && (
        <div className="mb-4">
          <Notice kind="info">Changed. Your other sessions have ended.</Notice>
        </div>
      )}
      <EditForm
        key={made}
        whole
        button="Change the password"
        schema={userOperations['users.change-password'].params}
        save={async (params) => {
          await change.mutateAsync(params as ParamsInput<'users.change-password'>)
          setMade(made + 1)
        }}
        values={{ currentPassword: '', newPassword: '' }}
        fields={[
          { name: 'currentPassword', label: 'Password now', kind: 'secret' },
          { name: 'newPassword', label: 'New password', kind: 'secret' },
        ]}
      />
    </Panel>
  )
}
