/**
 * Images of others have digests: what a tag names can be replaced by its publisher. An image that the source names by
 * its tag alone is in the list below, with the reason. This test does not see names whose version is a setting
 * (`postgres:${version}`): docs/decisions/0015-a-release-freezes-the-meaning-of-a-tag.md has those.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'

const root = join(import.meta.dirname, '../..')

/** The files that name an image by its tag, by the reason. The list only gets shorter. */
const byTag: Readonly<Record<string, readonly string[]>> = {
  'made on this machine, and in the registry of the node before a pod runs it': [
    'one-machine/git/sample/Dockerfile: svc/function-node:1',
    'one-machine/images/functions.ts: svc/function-bun:1',
    'one-machine/images/functions.ts: svc/function-node:1',
    'one-machine/images/functions.ts: svc/function-python:1',
    'one-machine/node/addons.yaml: rancher/local-path-provisioner:{{LOCAL_PATH_TAG}}',
    'one-machine/node/addons.yaml: registry.k8s.io/coredns/coredns:{{COREDNS_TAG}}',
    'one-machine/node/serverless.yaml: ghcr.io/kedacore/http-add-on-interceptor:{{INTERCEPTOR_TAG}}',
    'one-machine/node/config-files.ts: registry.k8s.io/pause:3.10.2',
    'one-machine/node/images.ts: busybox:latest',
    'one-machine/start/demo-data.ts: svc/guestbook:1',
    'one-machine/start/demo.ts: svc/hello:1',
  ],
  'made on this machine where the published image, which has a digest, is out of reach': [
    'one-machine/images/builder.ts: moby/buildkit:v0.34.2-rootless',
    'one-machine/images/engines.ts: minio/minio:latest',
    'one-machine/images/engines.ts: rclone/rclone:1.60.1',
  ],
  "the bases of a service's own image, which then runs by its digest": [
    'kinds/builds/dockerfiles.ts: docker.io/library/busybox:1.37',
    'kinds/builds/dockerfiles.ts: docker.io/library/debian:12-slim',
    'kinds/builds/dockerfiles.ts: docker.io/library/golang:1.26',
    'kinds/builds/dockerfiles.ts: docker.io/library/node:24-slim',
    'kinds/builds/dockerfiles.ts: docker.io/library/python:3.13-slim',
    'kinds/builds/dockerfiles.ts: docker.io/oven/bun:1',
  ],
  'an example in a form': ['dashboard/projects/create-forms.tsx: nginx:1.29'],
}

/** Templates make services as callers do: a deploy freezes what their tags mean. Tests and bench/ are no product. */
const source = ['*.ts', '*.tsx', '*.mjs', '*.yaml', '*.yml', '*Dockerfile', ':!templates', ':!test', ':!bench']

/** Images of Docker Hub without a slash; other words before a colon are hosts and keys. */
const official =
  'alpine|busybox|caddy|debian|golang|httpd|mariadb|memcached|mysql|nginx|node|postgres|python|redis|registry|ubuntu'
const part = '[a-z0-9]+(?:[._-]+[a-z0-9]+)*'
const numbered = '(?:latest|\\d[\\w.-]*|\\{\\{\\w+\\}\\})'
const withTag = new RegExp(
  `^(?:${official}):${numbered}$|^(?:${part}(?::\\d+)?/)?(?:${part}/)+${part}:(?:[A-Za-z_][\\w.-]*|${numbered})$`,
)

/** Strings of code that are nothing but a reference, and what objects and Dockerfiles name; comments have backticks. */
function namesIn(file: string, text: string): string[] {
  if (/\.(?:ts|tsx|mjs)$/.test(file)) return text.match(/(?<=(['"]))[^'"\s]+(?=\1)/g) ?? []
  if (/\.ya?ml$/.test(file))
    return (text.match(/(?<=\bimage: *['"]?)[^'",\s]+/g) ?? []).map((name) => name.replace(/^\$\{\w+:-(.+)\}$/, '$1'))
  return text.match(/(?<=^(?:FROM |ARG \w+_IMAGE=|# syntax=))\S+/gm) ?? []
}

const namedByTag = (file: string, text: string): string[] =>
  namesIn(file, text)
    .filter((name) => withTag.test(name) && !name.startsWith('registry.example.com/'))
    .map((name) => `${file}: ${name}`)

describe('images', () => {
  it('of the source have digests, but for those of the list', () => {
    const files = execFileSync('git', ['ls-files', ...source], { cwd: root, encoding: 'utf8' })
      .trim()
      .split('\n')
    const found = files.flatMap((file) => namedByTag(file, readFileSync(join(root, file), 'utf8')))
    expect([...new Set(found)].sort()).to.deep.equal(Object.values(byTag).flat().sort())
  })

  const digest = `sha256:${'a'.repeat(64)}`
  const texts: [what: string, file: string, text: string, found: string[]][] = [
    ['a setting', 'a.ts', `{ SVC_MINIO_IMAGE: 'minio/minio:latest' }`, ['minio/minio:latest']],
    ['a constant', 'a.ts', `const name = "moby/buildkit:v0.34.2-rootless"`, ['moby/buildkit:v0.34.2-rootless']],
    ['names without a slash', 'a.mjs', "run('postgres:16')", ['postgres:16']],
    ['an object', 'a.yaml', '- {name: a, image: busybox:latest, tty: true}', ['busybox:latest']],
    ['a default of Compose', 'a.yml', 'image: ${A_IMAGE:-acme/web:RC.1}', ['acme/web:RC.1']],
    [
      'bases of images',
      'Dockerfile',
      'ARG NODE_IMAGE=node:24\nFROM a.example/b/c:2 AS c',
      ['node:24', 'a.example/b/c:2'],
    ],
    ['a frontend', 'a.Dockerfile', '# syntax=docker/dockerfile:1', ['docker/dockerfile:1']],
    ['references with digests', 'a.ts', `['node:24@${digest}', 'acme/web:1@${digest}', 'acme/web@${digest}']`, []],
    ['modules, addresses and comments', 'a.ts', "import 'node:v8' // `acme/web:1`\nlisten('localhost:80')", []],
  ]
  for (const [what, file, text, found] of texts)
    it(`are ${found.length === 0 ? 'not found' : 'found by their tag'} in ${what}`, () =>
      expect(namedByTag(file, text)).to.deep.equal(found.map((name) => `${file}: ${name}`)))
})
