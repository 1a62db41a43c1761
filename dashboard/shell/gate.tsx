/** No page is shown without a session; where one ends under an open page, the page stays and the dialog asks. */
import type { ReactNode } from 'react'
import { sentenceOf } from '../data/api.ts'
import { loadSession, useSession } from '../data/session.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Notice } from '../ui/notice.tsx'
import { Mark } from './mark.tsx'
import { SignInForm } from './sign-in-form.tsx'

export function Gate({ children }: { children: ReactNode }) {
  const session = useSession()
  if (session.phase === 'unknown') return <div role="status" aria-label="Loading" className="h-screen" />
  if (session.phase === 'failed') {
    return (
      <Entrance>
        <Notice
          kind="failed"
          action={
            <Button small onClick={() => void loadSession()}>
              Try again
            </Button>
          }
        >
          {sentenceOf(session.error)}.
        </Notice>
      </Entrance>
    )
  }
  if (session.phase === 'nobody') {
    return (
      <Entrance>
        <SignInForm />
        <p className="mt-5 text-xs text-muted">
          The first password was shown when svc was started. An administrator adds further users under Settings.
        </p>
      </Entrance>
    )
  }
  return (
    <>
      {children}
      <Dialog open={session.lost} onClose={() => undefined} title="Your session has ended" firm>
        <p className="mb-4 text-sm text-muted">Sign in again: what you typed on this page is kept.</p>
        <SignInForm username={session.me.username} />
      </Dialog>
    </>
  )
}

function Entrance({ children }: { children: ReactNode }) {
  return (
    <main className="flex min-h-screen items-center justify-center bg-subtle px-4 py-12">
      <div className="w-full max-w-sm">
        <div className="mb-6 flex items-center gap-3">
          <Mark size={36} />
          <div>
            <h1 className="text-lg font-semibold">Sign in to svc</h1>
            <p className="text-xs text-muted">{location.host}</p>
          </div>
        </div>
        <div className="rounded-lg border border-line bg-raised p-6 shadow-sm">{children}</div>
      </div>
    </main>
  )
}
