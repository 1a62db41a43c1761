/** The accepted deploy that a service's record asks for: annotation `svc.dev/attempt`. */

import { deploymentRecordsKept } from '../../contract/limits.ts'
import { annotations } from '../annotations.ts'
import type { App } from './kind.ts'

export interface Attempt {
  /** Name of the deployment record, `<app>-<5 characters>`; minted once per request, so a lost answer is recognised by it. */
  record: string
  /** Where the frozen secrets of the release are: a Secret of that name in svc-system; absent when the service has none. */
  release?: string
  operation: 'deploy' | 'rollback' | 'kubectl'
  /** User name or token id. */
  actor: string
  requestId: string
  /** Readable reason: spec.changeTitle of the deployment record. */
  title: string
  /** When it was accepted, RFC 3339. */
  at: string
  /** The image as an earlier deployment ran it, with its digest: what a rollback goes back to, whatever its tag means now. */
  image?: string
  /** Its copies run confined (kinds/apps/confinement.ts). Absent before that was: such copies run on as they are until the next deploy. */
  confined?: boolean
  /** Set on a rollback that svc made by itself: which deploy failed, and why. */
  because?: string
  /** The attempt that was still going on when this one was accepted. */
  supersedes?: string
  /** Attempts before that one which no worker had taken up either: their end is still to be told. */
  alsoSupersedes?: string[]
}

/** The attempt that the record asks for; undefined when there is none or somebody wrote nonsense into the annotation. */
export function attemptOf(app: App): Attempt | undefined {
  const text = app.metadata.annotations?.[annotations.attempt]
  if (text === undefined) return undefined
  try {
    const value: unknown = JSON.parse(text)
    return isAttempt(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isAttempt(value: unknown): value is Attempt {
  if (typeof value !== 'object' || value === null) return false
  const fields: Record<string, unknown> = { ...value }
  if (!isTextOrNone(fields['image']) || !isTextOrNone(fields['because']) || !isTextOrNone(fields['supersedes']) || !isTextsOrNone(fields['alsoSupersedes']))
    return false
  return ['record', 'operation', 'actor', 'requestId', 'title', 'at'].every((name) => typeof fields[name] === 'string')
}

const isTextOrNone = (value: unknown): boolean => value === undefined || typeof value === 'string'
const isTextsOrNone = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.every((item) => typeof item === 'string'))

/** What an attempt accepted now supersedes; whatever was taken up has told the end of those before it. */
export function supersededBy(app: App): Pick<Attempt, 'supersedes' | 'alsoSupersedes'> {
  const inForce = attemptOf(app)
  if (inForce === undefined || !attemptGoesOn(app)) return {}
  const untold =
    app.status?.lastAttempt?.id === inForce.record ? [] : [...(inForce.supersedes === undefined ? [] : [inForce.supersedes]), ...(inForce.alsoSupersedes ?? [])]
  return { supersedes: inForce.record, ...(untold.length === 0 ? {} : { alsoSupersedes: untold.slice(0, deploymentRecordsKept) }) }
}

/** Whether the attempt the record asks for has neither succeeded nor failed yet. */
export function attemptGoesOn(app: App): boolean {
  const attempt = attemptOf(app)
  if (attempt === undefined) return false
  const last = app.status?.lastAttempt
  return last?.id !== attempt.record || last.phase === 'Running'
}
