/** A git server for builds: bare repositories behind git's own `http-backend`, some of them behind a login. */
import { execFile, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface GitServer {
  /** Writes the files and commits them to `main`, as the only files there are; resolves with the commit. */
  commit(repository: string, files: Readonly<Record<string, string>>): Promise<string>
  /** The same with so many small files besides. */
  commitMany(repository: string, files: Readonly<Record<string, string>>, count: number): Promise<string>
  /** Where the bare repository is on this machine. */
  folderOf(repository: string): string
  /** How often a repository was fetched from. */
  fetches(repository: string): number
  stop(): Promise<void>
}

/**
 * Repositories below `private/` want this token as the password of `x-access-token`; a fetch of one below `silent/`
 * gets no answer.
 */
export async function startGitServer(host: string, port: number, token: string): Promise<GitServer> {
  const root = await mkdtemp(join(tmpdir(), 'svc-git-server-'))
  const fetched = new Map<string, number>()
  const login = `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`
  const server = createServer((asked, answer) => {
    const { pathname } = new URL(asked.url ?? '/', 'http://git')
    if (pathname.startsWith('/private/') && asked.headers.authorization !== login)
      return answer.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
    if (pathname.startsWith('/silent/')) return undefined
    if (asked.method === 'POST') {
      const name = pathname.slice(1).replace(/\.git\/.*$/, '')
      fetched.set(name, (fetched.get(name) ?? 0) + 1)
    }
    return serve(root, asked, answer)
  })
  await new Promise<void>((resolve) => server.listen(port, host, resolve))
  return {
    commit: (repository, files) => commit(join(root, `${repository}.git`), files),
    commitMany: (repository, files, count) => commit(join(root, `${repository}.git`), files, count),
    folderOf: (repository) => join(root, `${repository}.git`),
    fetches: (repository) => fetched.get(repository) ?? 0,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await rm(root, { recursive: true, force: true })
    },
  }
}

async function commit(bare: string, files: Readonly<Record<string, string>>, count = 0): Promise<string> {
  await mkdir(bare, { recursive: true })
  const git = async (...args: string[]) => (await run('git', args, { cwd: bare })).stdout.trim()
  await git('init', '-q', '--bare', '-b', 'main', '.')
  await git('config', 'uploadpack.allowAnySHA1InWant', 'true')
  const work = await mkdtemp(join(tmpdir(), 'svc-git-work-'))
  try {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(work, path)), { recursive: true })
      await writeFile(join(work, path), text)
    }
    const many = `mkdir many && cd many && seq -f '%06g' ${count} | split -l 1 -a 5 - f`
    if (count > 0) await run('sh', ['-c', many], { cwd: work })
    const within = ['--git-dir', bare, '--work-tree', work, '-c', 'user.name=t', '-c', 'user.email=t@example.test']
    await git(...within, 'add', '-A', work)
    await git(...within, 'commit', '-q', '--allow-empty', '-m', 'a commit')
    return await git('rev-parse', 'main')
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** One request by CGI: its head is read of what the program says first. */
function serve(root: string, asked: IncomingMessage, answer: ServerResponse): void {
  const { pathname, search } = new URL(asked.url ?? '/', 'http://git')
  const program = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REQUEST_METHOD: asked.method,
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      CONTENT_TYPE: asked.headers['content-type'],
      HTTP_CONTENT_ENCODING: asked.headers['content-encoding'],
      GIT_PROTOCOL: String(asked.headers['git-protocol'] ?? ''),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  asked.pipe(program.stdin)
  program.stdin.on('error', () => undefined) // it answers before it has read everything
  let head = Buffer.alloc(0)
  program.stdout.on('data', (chunk: Buffer) => {
    if (answer.headersSent) {
      answer.write(chunk)
      return
    }
    head = Buffer.concat([head, chunk])
    const end = head.indexOf('\r\n\r\n')
    if (end < 0) return
    const fields = head
      .subarray(0, end)
      .toString()
      .split('\r\n')
      .map((line) => line.split(/: */, 2) as [string, string])
    const status = Number.parseInt(fields.find(([name]) => name === 'Status')?.[1] ?? '200', 10)
    answer.writeHead(status, Object.fromEntries(fields.filter(([name]) => name !== 'Status')))
    answer.write(head.subarray(end + 4))
  })
  program.stdout.on('end', () => answer.end())
}
