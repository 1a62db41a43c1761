/** The Dockerfiles for repositories without one: one for each kind of project, recognised by a file in it. */

/** The base images of generated Dockerfiles; an install that cannot reach these names its own. */
export interface BaseImages {
  node: string
  bun: string
  python: string
  go: string
  /** A Go program is compiled in one image and runs in another. */
  run: string
  static: string
}

export const standardBases: BaseImages = {
  node: 'docker.io/library/node:24-slim',
  bun: 'docker.io/oven/bun:1',
  python: 'docker.io/library/python:3.13-slim',
  go: 'docker.io/library/golang:1.26',
  run: 'docker.io/library/debian:12-slim',
  static: 'docker.io/library/busybox:1.37',
}

export type Generated = Exclude<keyof BaseImages, 'run'>

/** The files by which a kind of project is recognised; the first file that exists decides. */
export const recognisedBy: readonly (readonly [file: string, kind: Generated])[] = [
  ['bun.lock', 'bun'],
  ['bun.lockb', 'bun'],
  ['package.json', 'node'],
  ['go.mod', 'go'],
  ['requirements.txt', 'python'],
  ['pyproject.toml', 'python'],
  ['index.html', 'static'],
  ['public/index.html', 'static'],
]

/** Names of the variables that a build gets, plain and secret ones. */
export interface VariableNames {
  args: readonly string[]
  secrets: readonly string[]
}

/**
 * `port` is the port of the service, which a program reads from the variable PORT. Each step has the variables in its
 * environment: plain ones as build arguments, secret ones only while the step runs.
 */
export function generatedDockerfiles(
  bases: BaseImages,
  port: number,
  { args, secrets }: VariableNames,
): Record<Generated, string> {
  const user = 'USER 65532:65532'
  const given = args.map((name) => `ARG ${name}`)
  const mounts = secrets.map((name) => `--mount=type=secret,id=${name},env=${name} `).join('')
  const run = (command: string): string => `RUN ${mounts}${command}`
  const listens = `ENV PORT=${port}\nEXPOSE ${port}`
  return {
    node: lines(
      `FROM ${bases.node}`,
      ...given,
      'WORKDIR /app',
      'COPY . .',
      run('if [ -f package-lock.json ] || [ -f npm-shrinkwrap.json ]; then npm ci; else npm install; fi'),
      run('npm run build --if-present && npm prune --omit=dev'),
      'ENV NODE_ENV=production HOME=/tmp',
      listens,
      user,
      'CMD ["npm", "start"]',
    ),
    bun: lines(
      `FROM ${bases.bun}`,
      ...given,
      'WORKDIR /app',
      'COPY . .',
      run('bun install --frozen-lockfile'),
      'ENV NODE_ENV=production HOME=/tmp',
      listens,
      user,
      'CMD ["bun", "run", "start"]',
    ),
    python: lines(
      `FROM ${bases.python}`,
      ...given,
      'WORKDIR /app',
      'COPY . .',
      run(
        'if [ -f requirements.txt ]; then pip install --no-cache-dir -r requirements.txt; else pip install --no-cache-dir .; fi',
      ),
      'ENV PYTHONUNBUFFERED=1',
      listens,
      user,
      `CMD ["sh", "-c", "if [ -f main.py ]; then exec python main.py; else exec python app.py; fi"]`,
    ),
    go: lines(
      `FROM ${bases.go} AS build`,
      ...given,
      'WORKDIR /app',
      'COPY . .',
      run('CGO_ENABLED=0 go build -o /out/app .'),
      `FROM ${bases.run}`,
      'COPY --from=build /out/app /app',
      listens,
      user,
      'CMD ["/app"]',
    ),
    static: lines(
      `FROM ${bases.static}`,
      'WORKDIR /site',
      'COPY . .',
      listens,
      user,
      `CMD ["sh", "-c", "if [ -f public/index.html ]; then cd public; fi; exec httpd -f -v -p ${port}"]`,
    ),
  }
}

const lines = (...text: string[]): string => `${text.join('\n')}\n`
