/**
 * The `state` parameter that goes to the git host and comes back with the browser: which user, and which environment.
 */
import { z } from 'zod'
import { gitHostStateSeconds } from '../../contract/limits.ts'
import { refuse } from '../../contract/problem.ts'
import { readSigned, signText } from '../../records/auth/signed-text.ts'
import type { Needs } from './needs.ts'

const purpose = 'githost'
const payload = z.object({
  /** Empty for any admin. */
  username: z.string(),
  /** Empty while the app itself is being made. */
  project: z.string(),
  environment: z.string(),
  expiresAt: z.number(),
})

export type GitHostState = Omit<z.output<typeof payload>, 'expiresAt'>

/** Signed text for a query parameter, valid for an hour. */
export async function issueState({ signIn, clock }: Needs, state: GitHostState): Promise<string> {
  const key = await signIn.users.sessionKey()
  if (key === undefined) throw new Error('no session key: the users Secret is gone')
  return signText({ ...state, expiresAt: clock() + gitHostStateSeconds * 1000 }, key, purpose)
}

/** Throws Problem invalid_request for a text that is forged, expired or another user's. */
export async function readState({ signIn, clock }: Needs, text: string, username: string): Promise<GitHostState> {
  const key = await signIn.users.sessionKey()
  const found = payload.safeParse(key === undefined ? undefined : readSigned(text, key, purpose))
  if (!found.success || !['', username].includes(found.data.username) || found.data.expiresAt <= clock())
    throw refuse('the way back from the git host is not valid any more; begin again')
  return found.data
}
