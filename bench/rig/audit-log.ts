/** Counts writes to the cluster from its audit log. */
import { readFile } from 'node:fs/promises'

/** Writes that api and worker asked for so far; the servers of the cluster and kubectl name themselves otherwise. */
export async function countWrites(auditLog: string): Promise<number> {
  const lines = (await readFile(auditLog, 'utf8')).split('\n')
  return lines.filter((line) => line !== '' && (JSON.parse(line) as { userAgent?: string }).userAgent === 'svc').length
}
