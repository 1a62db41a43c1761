/**
 * A builder of Cloud Native Buildpacks, small and real: the lifecycle of its publisher, compiled from its pinned Go
 * module, with buildpacks of a few lines of shell, and the run image of what it builds.
 */
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { busyboxEntries, type Image } from '../../../one-machine/images/catalogue.ts'
import { fillRegistry } from '../../../one-machine/images/fill.ts'
import type { LayerEntry } from '../../../one-machine/images/layer.ts'
import { buildServer } from '../../../one-machine/servers/build.ts'
import { locateCache } from '../../../one-machine/servers/cache.ts'

export const cnbBuilder = 'svc-test/cnb-builder:1'
const version = '0.20.12'
const busybox = '/bin/busybox'
/** Another user and group than those of svc's own containers. */
const user = { id: 1002, group: 1003 } as const

/** `hello` takes a repository with that file; `broken` one with broken.txt, and fails as it says. */
const buildpacks: Record<string, { detect: string; build: string }> = {
  hello: {
    detect: '[ -f hello.txt ] || exit 100',
    build: `layer="$CNB_LAYERS_DIR/words"
if [ -f "$layer/words" ]; then echo 'the words are in the cache'; else
  mkdir -p "$layer"; cat /proc/sys/kernel/random/uuid >"$layer/words"
fi
printf '[types]\\nlaunch = true\\nbuild = true\\ncache = true\\n' >"$layer.toml"
echo "the token is \${TOKEN:-not there}"
sleep "$(cat seconds 2>/dev/null || echo 0)"
[ ! -f takes-memory ] || awk 'BEGIN { for (text = "x"; 1; text = text text) ; }'
mkdir site && chmod 0755 hello.txt
echo "$(cat hello.txt), \${COLOUR:-grey}, $(cat "$layer/words"), $(id -u):$(id -g)" >site/index.html
printf '[[processes]]\\ntype = "web"\\ncommand = ["sh", "-c", "exec httpd -f -p $PORT -h /workspace/site"]\\ndefault = true\\n' >"$CNB_LAYERS_DIR/launch.toml"`,
  },
  broken: {
    detect: '[ -f broken.txt ] || exit 100; ! grep -q detect broken.txt || exit 3',
    build: 'echo "broken.txt says no" >&2; exit 7',
  },
}

/** Compiles what is not in the cache of this machine, and pushes both images into the registry, `host:port`. */
export async function pushCnbImages(registry: string, noteFile: string): Promise<void> {
  const [lifecycle, launcher] = [await programOf('lifecycle'), await programOf('launcher')]
  const folder = mkdtempSync(join(tmpdir(), 'svc-cnb-'))
  const runImage = `${registry}/svc-test/cnb-run:1`
  try {
    const entries = builderEntries({ lifecycle, launcher, folder, runImage })
    const images: Image[] = [
      image('svc-test/cnb-builder', lifecycle, `${user.id}:${user.group}`, entries),
      image('svc-test/cnb-run', busybox, '65532:65532', []),
    ]
    await fillRegistry(`http://${registry}`, noteFile, images, console.log)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function image(repository: string, program: string, userOfImage: string, own: readonly LayerEntry[]): Image {
  const [uid = '', gid = ''] = userOfImage.split(':')
  const system: LayerEntry[] = [
    { path: 'tmp', folder: true, mode: 0o1777 },
    { path: 'etc', folder: true },
    { path: 'etc/passwd', text: `root:x:0:0:root:/root:/bin/sh\ncnb:x:${uid}:${gid}:cnb:/home/cnb:/bin/sh\n` },
    { path: 'etc/group', text: `root:x:0:\ncnb:x:${gid}:\n` },
    { path: 'home', folder: true },
    { path: 'home/cnb', folder: true, mode: 0o777 },
  ]
  const env = ['PATH=/bin:/usr/bin', `CNB_USER_ID=${uid}`, `CNB_GROUP_ID=${gid}`]
  return {
    ...{ repository, tags: ['1'], program, config: { Cmd: ['sh'], User: userOfImage, Env: env } },
    entries: async () => [...system, ...(await busyboxEntries(busybox)), ...own],
  }
}

interface Contents {
  lifecycle: string
  launcher: string
  /** For files that have to be executable. */
  folder: string
  runImage: string
}

function builderEntries({ lifecycle, launcher, folder, runImage }: Contents): LayerEntry[] {
  const order = Object.keys(buildpacks).map(
    (name) => `[[order]]\n[[order.group]]\nid = "svc-test/${name}"\nversion = "1.0.0"\n`,
  )
  return [
    ...['cnb', 'cnb/lifecycle', 'cnb/buildpacks'].map((path) => ({ path, folder: true }) as const),
    { path: 'cnb/lifecycle/lifecycle', program: lifecycle },
    { path: 'cnb/lifecycle/creator', link: 'lifecycle' },
    { path: 'cnb/lifecycle/launcher', program: launcher },
    { path: 'cnb/order.toml', text: order.join('') },
    { path: 'cnb/run.toml', text: `[[images]]\nimage = "${runImage}"\n` },
    ...Object.entries(buildpacks).flatMap(([name, scripts]) => {
      const at = `cnb/buildpacks/svc-test_${name}`
      const program = (command: 'detect' | 'build'): LayerEntry => {
        const file = join(folder, `${name}-${command}`)
        writeFileSync(file, `#!/bin/sh\nset -eu\n${scripts[command]}\n`)
        return { path: `${at}/1.0.0/bin/${command}`, program: file }
      }
      return [
        ...[at, `${at}/1.0.0`, `${at}/1.0.0/bin`].map((path) => ({ path, folder: true }) as const),
        { path: `${at}/1.0.0/buildpack.toml`, text: descriptor(name) },
        program('detect'),
        program('build'),
      ]
    }),
  ]
}

const descriptor = (name: string): string =>
  `api = "0.10"\n[buildpack]\nid = "svc-test/${name}"\nversion = "1.0.0"\n[[targets]]\nos = "linux"\n`

/** A program of the lifecycle's module: complete, or not there. */
async function programOf(name: 'lifecycle' | 'launcher'): Promise<string> {
  const cacheDir = locateCache(process.env)
  const folder = join(cacheDir, 'programs', `cnb-${version}`)
  const program = join(folder, name)
  if (existsSync(program)) return program
  mkdirSync(folder, { recursive: true })
  const draft = `${program}.${process.pid}`
  const server = {
    ...{ version, group: 'lifecycle', package: `github.com/buildpacks/lifecycle/cmd/${name}` },
    variables: [`github.com/buildpacks/lifecycle/cmd.Version=${version}`],
    ...{ versionArguments: ['-version'], buildSeconds: 90 },
  }
  await buildServer(`cnb-${name}`, server, { modulesDir: import.meta.dirname, cacheDir, env: process.env }, draft)
  renameSync(draft, program)
  return program
}
