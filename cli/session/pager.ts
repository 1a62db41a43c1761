/** Shows text that is longer than the terminal page by page; elsewhere it is printed. */
import { once } from 'node:events'
import type { Cli } from './session.ts'

/** Quits where all fits, keeps colours and the screen, and ends at Ctrl-C. */
const defaultPager = 'less -FRXK'

/** Uses SVC_PAGER, PAGER or less; an empty variable or a pager that there is not prints the text. */
export async function showLong({ terminal, env }: Pick<Cli, 'terminal' | 'env'>, text: string): Promise<void> {
  const pager = env['SVC_PAGER'] ?? env['PAGER'] ?? defaultPager
  const fits = text.split('\n').length <= terminal.rows()
  if (!terminal.live || fits || pager === '' || process.platform === 'win32' || !(await paged(pager, text, env)))
    terminal.raw(text)
}

/** Exit code of a shell for a command that it does not find. */
const notFound = 127

async function paged(pager: string, text: string, env: Cli['env']): Promise<boolean> {
  const { spawn } = await import('node:child_process')
  const child = spawn('sh', ['-c', pager], { stdio: ['pipe', 'inherit', 'inherit'], env: { ...env } })
  child.stdin.on('error', () => undefined) // the reader has seen enough
  child.stdin.end(text)
  try {
    const [code] = (await once(child, 'exit')) as [number | null]
    return code !== notFound
  } catch {
    return false // there is no shell
  }
}
