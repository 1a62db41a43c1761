/** The git server of a start: whether there is one, and the line about it. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type GitServer, startGitServer } from '../git/server.ts'
import type { RunningNode } from '../node/start.ts'
import { loopback } from '../processes/ports.ts'
import type { Stops } from '../processes/stops.ts'
import type { StartOptions } from './options.ts'
import type { Progress } from './progress.ts'

const folderIn = (dataDir: string): string => join(dataDir, 'node/git')

/** Where one or the sample is asked for, and after a start that had one: services are built from it. */
export const wantsGit = ({ dataDir, gitServer, demo }: Pick<StartOptions, 'dataDir' | 'gitServer' | 'demo'>): boolean =>
  gitServer || demo || existsSync(folderIn(dataDir))

/** A failure is reported; svc itself runs nevertheless. None without a node of svc's own: nothing is built then. */
export async function startGit(
  node: RunningNode | undefined,
  { dataDir, port, gitServer }: Pick<StartOptions, 'dataDir' | 'port' | 'gitServer'>,
  progress: Progress,
  stops: Stops,
): Promise<GitServer | undefined> {
  if (node === undefined) {
    const why = "services are built from git on a node of svc's own only"
    if (gitServer) progress.say(`svc: no git server: ${why}`)
    return undefined
  }
  const step = progress.begin('git')
  try {
    const server = await startGitServer({
      folder: folderIn(dataDir),
      hostAddress: node.hostAddress,
      tls: node.gitCertificate,
      api: `http://${loopback}:${port}`,
      say: (line) => progress.say(`svc: ${line}`),
    })
    stops.add(server.stop)
    step.done(`serves ${server.sample}`)
    return server
  } catch (error) {
    step.done(`does not serve: ${error instanceof Error ? error.message : String(error)}`)
    return undefined
  }
}
