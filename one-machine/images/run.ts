/** Programs that make images: they end with the process that wanted the image. */
import { execFile, type ExecFileOptions } from 'node:child_process'
import { promisify } from 'node:util'

const start = promisify(execFile)

/** Resolves with the text that the program printed. Rejects, with its errors, when it fails. */
export async function run(
  program: string,
  args: readonly string[],
  options: ExecFileOptions = {},
): Promise<{ stdout: string }> {
  const running = start(program, args, { ...options, encoding: 'utf8' })
  const end = (): void => void running.child.kill('SIGKILL')
  process.once('exit', end)
  try {
    return await running
  } finally {
    process.off('exit', end)
  }
}
