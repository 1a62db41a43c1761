/** kubectl itself, on the run's cluster. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { testServer } from './servers.ts'
import { useStack } from './stack.ts'

const run = promisify(execFile)

/** Its stdout; rejects with its error message. */
export async function kubectl(args: readonly string[]): Promise<string> {
  const { kubeconfig } = await useStack()
  const command = await testServer('kubectl')
  return (await run(command, ['--kubeconfig', kubeconfig, ...args])).stdout
}
