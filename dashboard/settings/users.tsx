/** Users who sign in with a password: adding them, their role, their password, removing them. */
import { useState } from 'react'
import { userOperations } from '../../contract/users/operations.ts'
import type { ParamsInput, View } from '../../contract/operations.ts'
import { useRead, useWrite } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { ConfirmButton, DeleteButton } from '../ui/confirm.tsx'
import { EditForm } from '../ui/edit-form.tsx'
import { NameCell, Panel, Table } from '../ui/panel.tsx'
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
  const remove = useWrite('users.remove')
  const [made, setMade] = useState(0)
  return (
    <div className="flex flex-col gap-5">
      <Panel title="Users" flush>
        <Shown of={users} what="the users">
          {({ items }) => (
            <Table label="Users" head={['Name', 'Role', '']}>
              {items.map(({ username, role }) => (
                <tr key={username}>
                  <NameCell className="font-medium">
                    {username}
                    {username === me.username && <span className="ml-2 text-xs font-normal text-muted">you</span>}
                  </NameCell>
                  <td>
                    <Role username={username} role={role} last={items.filter(isAdmin).length === 1} />
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

type User = View<'users.list'>['items'][number]

const isAdmin = ({ role }: User): boolean => role === 'admin'

interface RoleProps extends Pick<User, 'username' | 'role'> {
  /** Whether there is one administrator. */
  readonly last: boolean
}

/** The role, and the button that gives the other one. */
function Role({ username, role, last }: RoleProps) {
  const setRole = useWrite('users.set-role')
  const other = role === 'admin' ? 'viewer' : 'admin'
  return (
    <span className="flex items-center gap-2">
      {role}
      <ConfirmButton
        small
        kind="quiet"
        label={`Make ${other}`}
        name={`Make ${other}: ${username}`}
        title={`Make ${username} ${other}?`}
        verb={`Make ${other}`}
        keep={`Keep ${role}`}
        why={last && role === 'admin' ? 'The last administrator has to stay one' : undefined}
        act={() => setRole.mutateAsync({ username, role: other })}
      >
        <p className="text-muted">
          {other === 'viewer'
            ? 'They read the overview and change nothing any more; tokens they made stay.'
            : 'They may change everything, users and secrets among it.'}{' '}
          Their sessions end at once.
        </p>
      </ConfirmButton>
    </span>
  )
}
