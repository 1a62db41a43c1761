/**
 * The git server of one machine: bare repositories over https, for who works on this machine and for builds on its
 * node. Everyone who reaches it may read, who has its token may push.
 */
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import { join } from 'node:path'
import { findCommand } from '../debian/packages.ts'
import { keepPort } from '../processes/kept-port.ts'
import { loopback } from '../processes/ports.ts'
import { answerByGit } from './backend.ts'
import { gitUser, holdsToken, keepToken, writeClientSettings } from './login.ts'
import { type Pushes, watchPushes } from './pushes.ts'
import { makeSample, sampleName } from './repositories.ts'

/** Each request is a program of its own; pods may ask for any number of them. */
const atOnceMax = 32
const path = /^\/(\w[\w.-]{0,62})\.git\/(info\/refs|git-upload-pack|git-receive-pack)$/
const reads = 'git-upload-pack'
const pushes = 'git-receive-pack'

export interface GitServerOptions {
  /** Keeps the repositories, the token and the port. */
  readonly folder: string
  /** The address of this machine for pods. */
  readonly hostAddress: string
  /** Paths of PEM files; the certificate is valid for loopback and for `hostAddress`. */
  readonly tls: { readonly authority: string; readonly cert: string; readonly key: string }
  /** Base URL of the api, which pushes are delivered to. */
  readonly api: string
  readonly say: (line: string) => void
}

export interface GitServer extends Pick<Pushes, 'deploy'> {
  /** The repository of the sample, as builds and this machine reach it. */
  readonly sample: string
  /** The command that fetches the sample such that pushes work. */
  readonly cloneCommand: string
  stop(): Promise<void>
}

/** Resolves when it listens on both addresses. Rejects with one sentence. */
export async function startGitServer({ folder, hostAddress, tls, api, say }: GitServerOptions): Promise<GitServer> {
  if (findCommand('git') === undefined) throw new Error('the git server needs git, which is not on PATH')
  const root = join(folder, 'repositories')
  await mkdir(root, { recursive: true, mode: 0o700 })
  await makeSample(root)
  const token = await keepToken(folder)
  const port = await keepPort(join(folder, 'port.json'))
  const [cert, key] = await Promise.all([readFile(tls.cert), readFile(tls.key)])
  const watching = watchPushes({ root, hooks: join(folder, 'webhooks'), api, say })
  const answer = answerer({ root, token, say, onPushed: watching.look })
  const servers = await listenAt([loopback, hostAddress], port, () => createServer({ cert, key }, answer))
  const origins = [loopback, hostAddress].map((address) => `https://${address}:${port}`)
  const settings = await writeClientSettings(folder, { origins, authority: tls.authority, token })
  watching.look() // of what was pushed last before a kill
  return {
    sample: `https://${hostAddress}:${port}/${sampleName}.git`,
    cloneCommand: `git clone -c include.path=${quoted(settings)} https://${loopback}:${port}/${sampleName}.git`,
    deploy: watching.deploy,
    async stop() {
      await watching.stop()
      await Promise.all(servers.map(close))
    },
  }
}

/** For a shell. */
const quoted = (text: string): string => (/^[\w./@+-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)

interface Answering {
  readonly root: string
  readonly token: string
  readonly say: (line: string) => void
  readonly onPushed: () => void
}

function answerer({
  root,
  token,
  say,
  onPushed,
}: Answering): (request: IncomingMessage, response: ServerResponse) => void {
  let running = 0
  return (request, response) => {
    const asked = URL.parse(request.url ?? '', 'https://git')
    if (asked === null) return refuse(response, 404)
    const { pathname, searchParams } = asked
    const [, name, action = ''] = path.exec(pathname) ?? []
    const service = action === 'info/refs' ? searchParams.get('service') : action
    const method = action === 'info/refs' ? 'GET' : 'POST'
    // The protocol of git alone: its older one reads any file of a repository.
    if (name === undefined || (service !== reads && service !== pushes) || request.method !== method)
      return refuse(response, 404)
    const mayPush = holdsToken(request.headers.authorization, token)
    if (service === pushes && !mayPush) return refuse(response, 401)
    if (!existsSync(join(root, `${name}.git`))) return refuse(response, 404)
    if (running >= atOnceMax) return refuse(response, 503)
    running += 1
    void answerByGit(service === pushes ? { root, user: gitUser } : { root }, request, response)
      .catch((error: unknown) => {
        say(`a request to the repository ${name} failed: ${error instanceof Error ? error.message : String(error)}`)
        refuse(response, 500)
      })
      .finally(() => {
        running -= 1
        if (action === pushes) onPushed()
      })
  }
}

function refuse(response: ServerResponse, status: 401 | 404 | 500 | 503): void {
  if (response.headersSent) return void response.destroy()
  const more = status === 401 ? { 'www-authenticate': 'Basic realm="git", charset="UTF-8"' } : {}
  response.writeHead(status, { ...more, connection: 'close' }).end()
}

/** All or none. */
async function listenAt(addresses: readonly string[], port: number, make: () => Server): Promise<Server[]> {
  const servers: Server[] = []
  try {
    for (const address of addresses) {
      const server = make()
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, address, resolve)
      })
      servers.push(server)
    }
    return servers
  } catch (error) {
    await Promise.all(servers.map(close))
    throw error
  }
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeAllConnections() // which ends the programs behind them
  await closed
}
