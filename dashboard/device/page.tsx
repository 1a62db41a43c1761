/** Approving a program that signs in: the code is compared, a role and a lifetime are chosen, or it is refused. */
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { authOperations } from '../../contract/auth/operations.ts'
import { deviceTokenDays } from '../../contract/limits.ts'
import { sentenceOf, statusOf } from '../data/api.ts'
import { useRead, useWrite } from '../data/queries.ts'
import { useMe } from '../data/session.ts'
import { Button } from '../ui/button.tsx'
import { SelectField, TextField } from '../ui/field.tsx'
import { Empty, Notice, Skeleton } from '../ui/notice.tsx'
import { Facts, PageHead, Panel } from '../ui/panel.tsx'

const roles = {
  viewer: 'viewer: reads the overview',
  observer: 'observer: also reads logs and names of variables',
  admin: 'admin: may change everything',
} as const
type Role = keyof typeof roles

const lifetime = authOperations['auth.device-approve'].params.shape.expiresInDays

/** What was typed, judged as the api judges it; an empty field is no number, and never "for ever". */
const lifetimeOf = (typed: string) => lifetime.safeParse(/^\d+$/.test(typed.trim()) ? Number(typed) : typed)

export function DevicePage() {
  const { canMutate } = useMe()
  const { code } = useSearch({ from: '/device' })
  return (
    <div className="mx-auto flex max-w-lg flex-col gap-5">
      <PageHead title="Sign in a program" lead="A command line or an agent asks to act for you." />
      {!canMutate ? (
        <Empty title="Not for your role">Only a signed-in administrator approves programs. Ask one of them.</Empty>
      ) : code === undefined ? (
        <AskCode />
      ) : (
        <Decide code={code} />
      )}
    </div>
  )
}

function AskCode({ refusal }: { refusal?: string }) {
  const navigate = useNavigate()
  const [code, setCode] = useState('')
  return (
    <Panel>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          if (code.trim() !== '') void navigate({ to: '/device', search: { code: code.trim() } })
        }}
      >
        <TextField
          label="Code"
          hint="Eight letters, as the program shows them"
          placeholder="BCDF-GHJK"
          error={refusal}
          value={code}
          className="font-mono uppercase"
          onChange={(event) => setCode(event.target.value)}
        />
        <Button kind="primary" type="submit">
          Continue
        </Button>
      </form>
    </Panel>
  )
}

function Decide({ code }: { code: string }) {
  const request = useRead('auth.device-read', { code })
  const approve = useWrite('auth.device-approve', { touches: ['tokens.list'] })
  const [role, setRole] = useState<Role>('observer')
  const [days, setDays] = useState(String(deviceTokenDays))
  const chosen = lifetimeOf(days)
  if (request.isError)
    return (
      <AskCode
        refusal={statusOf(request.error) === 404 ? 'This code is unknown or expired' : sentenceOf(request.error)}
      />
    )
  if (request.data === undefined) return <Skeleton rows={4} label="Loading the request" />
  const { userCode, clientName, status, expiresIn } = request.data
  if (approve.isSuccess || status !== 'pending') {
    const denied = (approve.isSuccess && 'denied' in approve.data) || status === 'denied'
    return (
      <Notice kind={denied ? 'warning' : 'info'}>
        {denied
          ? 'Refused: the program gets nothing.'
          : status === 'expired'
            ? 'This code has expired.'
            : 'Approved: the program goes on by itself. You can close this page.'}
      </Notice>
    )
  }
  return (
    <Panel>
      <div className="flex flex-col gap-4">
        <p className="text-center font-mono text-2xl font-semibold tracking-widest">{userCode}</p>
        <p className="text-center text-sm text-muted">Does the program show the same letters? If not, refuse.</p>
        <Facts
          rows={[
            ['Program', clientName === '' ? 'gave no name' : clientName],
            ['Code ends in', `${Math.ceil(expiresIn / 60)} min`],
          ]}
        />
        <SelectField label="Role" value={role} onChange={(event) => setRole(event.target.value as Role)}>
          {Object.entries(roles).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
        </SelectField>
        <TextField
          label="Days until it ends"
          hint="0 is never"
          inputMode="numeric"
          error={chosen.error?.issues[0]?.message}
          value={days}
          onChange={(event) => setDays(event.target.value)}
        />
        {approve.isError && <Notice kind="failed">{sentenceOf(approve.error)}</Notice>}
        <div className="flex justify-end gap-2">
          <Button kind="danger" busy={approve.isPending} onClick={() => approve.mutate({ userCode, deny: true })}>
            Refuse
          </Button>
          <Button
            kind="primary"
            busy={approve.isPending}
            onClick={() => chosen.success && approve.mutate({ userCode, role, expiresInDays: chosen.data })}
          >
            Approve
          </Button>
        </div>
      </div>
    </Panel>
  )
}
