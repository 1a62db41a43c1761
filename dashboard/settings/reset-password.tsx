/** Giving another user a new password, which ends their sessions. */
import { useState } from 'react'
import { userOperations } from '../../contract/users/operations.ts'
import { useWrite } from '../data/queries.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { EditForm } from '../ui/edit-form.tsx'
import { textOf } from '../ui/spec.ts'

export function ResetPassword({ username }: { username: string }) {
  const [open, setOpen] = useState(false)
  const reset = useWrite('users.set-password', { touches: [] })
  return (
    <>
      <Button small aria-label={`New password for ${username}`} onClick={() => setOpen(true)}>
        New password
      </Button>
      <Dialog open={open} onClose={() => setOpen(false)} title={`New password for ${username}`}>
        <EditForm
          whole
          button="Set it and end their sessions"
          schema={userOperations['users.set-password'].params}
          values={{ password: '' }}
          fields={[{ name: 'password', label: 'Password', kind: 'secret', hint: 'They can change it themselves' }]}
          save={async (params) => {
            await reset.mutateAsync({ username, password: textOf(params, 'password') })
            setOpen(false)
          }}
        />
      </Dialog>
    </>
  )
}
