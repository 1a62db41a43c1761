/** The form of a sign-in: on its page, and in the dialog when a session ended under an open page. */
import { useState, type FormEvent } from 'react'
import { signInFailures } from '../../contract/limits.ts'
import { sentenceOf, signIn, statusOf } from '../data/api.ts'
import { signedIn } from '../data/session.ts'
import { Button } from '../ui/button.tsx'
import { TextField } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'

/** The pause is said two failures before it begins, since it answers as a wrong password does. */
const warnedFrom = signInFailures - 2

export function SignInForm({ username: known }: { username?: string }) {
  const [username, setUsername] = useState(known ?? '')
  const [password, setPassword] = useState('')
  const [failure, setFailure] = useState<string>()
  const [failures, setFailures] = useState(0)
  const [busy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    setBusy(true)
    setFailure(undefined)
    try {
      signedIn(await signIn(username, password))
    } catch (error) {
      setFailure(sentenceOf(error))
      // One that had no answer is no wrong password.
      if (statusOf(error) !== undefined) setFailures(failures + 1)
      setBusy(false)
    }
  }
  return (
    <form onSubmit={(event) => void submit(event)} className="flex flex-col gap-4">
      <TextField
        label="User name"
        name="username"
        autoComplete="username"
        autoFocus={known === undefined}
        required
        value={username}
        onChange={(event) => setUsername(event.target.value)}
      />
      <TextField
        label="Password"
        name="password"
        type="password"
        autoComplete="current-password"
        autoFocus={known !== undefined}
        required
        value={password}
        onChange={(event) => setPassword(event.target.value)}
      />
      {failure !== undefined && (
        <Notice kind="failed">
          {failure.charAt(0).toUpperCase() + failure.slice(1)}.
          {failures >= warnedFrom && ' Repeated failures pause sign-in for a minute, also with the right password.'}
        </Notice>
      )}
      <Button kind="primary" type="submit" busy={busy}>
        {busy ? 'Signing in' : 'Sign in'}
      </Button>
    </form>
  )
}
