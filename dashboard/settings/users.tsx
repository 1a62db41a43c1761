/** Users who sign in with a password: adding them, their role, their password, removing them. */
import { useState } from 'react'
import { userOperations } from '../../contract/users/operations.ts'
import type { ParamsInput } from '../../contract/operations.ts'
import { sentenceOf } from '../data/api.ts'
import { useRead, useWrite } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { DeleteButton } from '../ui/confirm.tsx'
import { EditForm } from '../ui/edit-form.tsx'
import { inputClass } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { Panel, Table } from '../ui/panel.tsx'
import { Shown } from '../ui/read.tsx'
import { ResetPassword } from './reset-password.tsx'

const roles = [
  ['viewer', 'viewer: reads the overview'],
  ['admin', 'admin: may change everything'],
] as const

export function Users() {
  const me = useMe()
  const users = useRead('users.list', {})
  const create = useWrite('users.create')
  const setRole = useWrite('users.set-role')
  const remove = useWrite('users.remove')
  const [made, setMade] = useState(0)
  return (
    <div className="flex flex-col gap-5">
      <Panel title="Users" flush>
        {setRole.isError && <Notice kind="failed">{sentenceOf(setRole.error)}</Notice>}
        <Shown of={users} what="the users">
          {({ items }) => (
            <Table label="Users" head={['Name', 'Role', '']}>
              {items.map(({ username, role }) => (
                <tr key={username}>
                  <td className="font-medium">
                    {username}
                    {username === me.username && <span className="ml-2 text-xs font-normal text-muted">you</span>}
                  </td>
                  <td>
                    <select
                      aria-label={`Role of ${username}`}
                      className={`${inputClass} h-7 w-auto!`}
                      value={role}
                      disabled={setRole.isPending}
                      onChange={(event) => setRole.mutate({ username, role: event.target.value as 'admin' | 'viewer' })}
                    >
                      {roles.map(([value]) => (
                        <option key={value} value={value}>
                          {value}
                        </option>
                      ))}
                    </select>
                  </td>
                  <td className="text-right">
                    <span className="flex justify-end gap-2">
                      {username !== me.username && <ResetPassword username={username} />}
                      <DeleteButton
                        what="user"
                        name={username}
                        verb="Remove"
                        why={username === me.username ? 'Another administrator has to remove you' : undefined}
                        goes={['their sessions', 'their password; tokens they made stay']}
                        remove={(confirmName) => remove.mutateAsync({ username, confirmName })}
                      />
                    </span>
                  </td>
                </tr>
              ))}
            </Table>
          )}
        </Shown>
      </Panel>
      <Panel title="Add a user">
        <EditForm
          key={made}
          whole
          button="Add"
          schema={userOperations['users.create'].params}
          save={async (params) => {
            await create.mutateAsync(params as ParamsInput<'users.create'>)
            setMade(made + 1)
          }}
          values={{ username: '', password: '', role: 'viewer' }}
          fields={[
            { name: 'username', label: 'User name' },
            {
              name: 'password',
              label: 'Password',
              kind: 'secret',
              hint: 'They change it themselves after the first sign-in',
            },
            { name: 'role', label: 'Role', kind: 'select', options: roles },
          ]}
        />
      </Panel>
    </div>
  )
}
