/** The repository that benches of builds push to: in the git server of the machine, with a clone of it to work in. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startGitServer } from '../../one-machine/index.ts'
import type { Rig } from '../rig/rig.ts'

const run = promisify(execFile)
// That variable of a shell wins over the settings of the clone.
const env = { ...process.env, GIT_SSL_CAINFO: undefined }
const answer = (text: string): string => `import { createServer } from 'node:http'
createServer((_, response) => response.end('${text}')).listen(8080, '0.0.0.0')
`

export interface BenchRepository {
  /** What a service names as its repository. */
  readonly address: string
  /** The clone. */
  readonly folder: string
  /** Writes other contents and commits them; `steps` are lines of the Dockerfile before the files are copied. */
  commit(text: string, steps?: readonly string[]): Promise<void>
  push(): Promise<void>
  /** From now on a push deploys the service. */
  deploy(service: string, secret: string): Promise<void>
}

/** Needs a real node, whose builds trust the server. @param name of its folder, one for each bench */
export async function createRepository(rig: Rig, name: string): Promise<BenchRepository> {
  const { node } = rig.stack
  if (node === undefined) throw new Error('the bench needs a real node')
  const server = await startGitServer({
    folder: join(rig.folder, name),
    hostAddress: node.hostAddress,
    tls: node.gitCertificate,
    api: rig.url,
    say: (line) => void process.stderr.write(`${line}\n`),
  })
  rig.atEnd(server.stop)
  const folder = join(rig.folder, name, 'work')
  const [program = '', ...words] = server.cloneCommand.split(' ')
  await run(program, [...words, folder], { env })
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@localhost', ...args], { cwd: folder, env })
  return {
    address: server.sample,
    folder,
    async commit(text, steps = []) {
      const lines = [
        'FROM busybox AS made',
        ...steps,
        'RUN echo made >/made',
        'FROM svc/function-node:1',
        'WORKDIR /app',
      ]
      const last = ['COPY --from=made /made .', 'COPY server.mjs .', 'ENTRYPOINT ["/usr/bin/node", "/app/server.mjs"]']
      await writeFile(join(folder, 'Dockerfile'), `${[...lines, ...last].join('\n')}\n`)
      await writeFile(join(folder, 'server.mjs'), answer(text))
      await git('commit', '-q', '-a', '-m', text)
    },
    async push() {
      await git('push', '-q')
    },
    deploy: (service, secret) => server.deploy('sample', service, secret),
  }
}
