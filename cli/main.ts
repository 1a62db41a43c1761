/**
 * The process `svc`. Its version is answered by this file alone, before the program is read and compiled; every other
 * command goes the usual way (process.ts).
 */
import { answerAtOnce } from './platform/answer-at-once.ts'

/** Not awaited at the top: the script of the executable is no ES module. */
async function main(): Promise<void> {
  if (answerAtOnce(process.argv.slice(2), process.env)) return
  const { runProcess } = await import('./process.ts')
  await runProcess()
}

void main()
