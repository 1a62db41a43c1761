/** The reasons of Events that are no reason of a condition, each with its meaning; `docs/conditions.md` lists them. */
import type { ConditionReason } from './condition-reasons.ts'

export const eventReasons = {
  Abandoned: 'The record went without the cloud being asked; what stays there is listed.',
  DeployAccepted: 'An edit with kubectl became a deploy.',
  DeployFailed: 'A deploy failed; the message says why.',
  DrillFailed: 'A backup could not be restored on trial, or what came back is not what was stored.',
  EditPending: 'An edit is saved and not deployed.',
  ForeignRecords: 'Hosts have no DNS record of svc, since records of another owner are there.',
  NotDropped: 'The record went, and its database and login are still on the server.',
  RecordsLeft: 'DNS records of svc may be left at the DNS provider.',
  Removing: 'What is removed with the record, data included.',
  RequestUnreadable: 'Who asked for a deploy, and how, cannot be read; it goes on as an edit by kubectl.',
  RollingBack: 'A failed deploy is rolled back, or cannot be; the message says which.',
  RunEnded: 'A run that did not go on was ended, and another one goes on with its work.',
  VolumeLost: 'The volume of a service was deleted by another writer, and an empty one takes its place.',
} as const satisfies Readonly<Record<string, string>>

/** The reason of an Event: one of these, or that of the condition that is written with it. */
export type EventReason = keyof typeof eventReasons | ConditionReason
