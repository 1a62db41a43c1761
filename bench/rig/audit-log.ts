/** What svc asked of the cluster, from the cluster's audit log. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Span } from './request-chain.ts'

/** One answered request of api or worker. */
export interface AuditedRequest extends Span {
  readonly verb: string
}

const readingVerbs = new Set(['get', 'list', 'watch'])

export const isRead = ({ verb }: Pick<AuditedRequest, 'verb'>): boolean => readingVerbs.has(verb)

interface AuditLine {
  readonly verb: string
  readonly userAgent?: string
  readonly requestReceivedTimestamp: string
  readonly stageTimestamp: string
}

/** The requests of lines whose client names itself `svc`; a last line that is still being written is left out. */
export function requestsOf(text: string): AuditedRequest[] {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1).split('\n')
  return whole
    .filter((line) => line.includes('"userAgent":"svc"'))
    .map((line) => JSON.parse(line) as AuditLine)
    .map(({ verb, requestReceivedTimestamp, stageTimestamp }) => ({
      verb,
      began: microTime(requestReceivedTimestamp),
      ended: microTime(stageTimestamp),
    }))
}

/** Milliseconds since 1970 with their fraction, which Date.parse cuts off. */
function microTime(text: string): number {
  const fraction = /\.(\d+)Z$/.exec(text)?.[1] ?? ''
  return Date.parse(text.replace(/\.\d+Z$/, 'Z')) + Number(`0.${fraction}0`) * 1000
}

/** Requests of api and worker so far, watches left out; undefined where the cluster keeps no such log. */
export async function readRequests(auditLog: string): Promise<AuditedRequest[] | undefined> {
  return existsSync(auditLog) ? requestsOf(await readFile(auditLog, 'utf8')) : undefined
}

/** Writes that api and worker asked for so far; the servers of the cluster and kubectl name themselves otherwise. */
export async function countWrites(auditLog: string): Promise<number> {
  return requestsOf(await readFile(auditLog, 'utf8')).filter((request) => !isRead(request)).length
}
