/** Builds by buildpacks: their two scripts beside each other, with a lifecycle that is played, and what comes of it. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { canKeepCache } from '../../../kinds/builds/buildpacks.ts'
import { freePort } from '../../../one-machine/processes/index.ts'
import { type GitServer, startGitServer } from '../../one-machine/builds-node/git-server.ts'
import { builderImage, type Played, runBuildpacks } from './run-buildpacks.ts'
import { runClone } from './run-clone.ts'

const digest = `sha256:${'ab'.repeat(32)}`
const secret = 'secret/of.the*test'
const place = 'r.example.test/svc'
const pushes = `echo "Adding layer 'a'"; echo "Reusing layer 'b'"
printf '[image]\\n  tags = ["x"]\\n  digest = "${digest}"\\n' >work/cnb/report.toml`
/** What the lifecycle says and ends with. */
const ends = (code: number, said: string, before = '') => `cat <<'END'\n${before}\nERROR: ${said}\nEND\nexit ${code}`

describe('the scripts of a build by buildpacks', function () {
  this.timeout(30_000)
  const folder = mkdtempSync(join(tmpdir(), 'svc-buildpacks-'))
  let git: GitServer
  let base: string
  let revision: string
  before(async () => {
    const port = await freePort()
    git = await startGitServer('127.0.0.1', port, 'token')
    base = `http://127.0.0.1:${port}`
    revision = await git.commit('team/ruby', { Gemfile: '', 'bin/run': '' })
    await git.commit('team/node', { 'package.json': '{}' })
    await git.commit('team/docker', { 'package.json': '{}', Dockerfile: 'FROM busybox\n' })
  })
  after(async () => {
    await git.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  const run = (repository: string, played: Partial<Played> = {}) =>
    runBuildpacks(folder, `${base}/${repository}.git`, { lifecycle: pushes, ...played })

  it('end with the digest of the report, and one container has the log of both', async () => {
    const { code, output, said, cloned, creator } = await run('team/ruby')
    expect(JSON.parse(cloned)).to.deep.equal({ revision, kind: 'buildpacks' })
    expect([code, said]).to.deep.equal([0, `{"digest":"${digest}"}`])
    expect(output.split('\n')).to.deep.equal([
      "Adding layer 'a'",
      "Reusing layer 'b'",
      `pushed ${place}:web-${revision.slice(0, 12)}@${digest}: 1 of 2 layers reused`,
      '',
    ])
    expect(creator).to.deep.equal({ code: 0, output: '' })
  })

  it('give the lifecycle a copy of the files, the cache, and the commit', async () => {
    const cacheImage = `${place}:web-buildpackscache`
    const { args, place: at } = await run('team/ruby', { env: { CACHE_IMAGE: cacheImage, RUN_IMAGE: 'run:1' } })
    const after = (flag: string) => args[args.indexOf(flag) + 1]
    expect([after('-cache-image'), after('-run-image')]).to.deep.equal([cacheImage, 'run:1'])
    expect([after('-previous-image'), after('-tag')]).to.deep.equal(Array(2).fill(`${place}:web-buildpacks`))
    expect(args.at(-1)).to.equal(`${place}:web-${revision.slice(0, 12)}`)
    expect(readdirSync(join(at, 'work/workspace')).toSorted()).to.deep.equal(['Gemfile', 'bin'])
    expect(readFileSync(join(at, 'work/cnb/project.toml'), 'utf8')).to.contain(`commit = "${revision}"`)
  })

  it('leave the folders that are mounted elsewhere to the node, which may have made them before the clone', async () => {
    const { code, place: at } = await runClone(folder, {
      REPOSITORY: `${base}/team/ruby.git`,
      BUILDPACKS: builderImage,
    })
    const made = ['cnb', 'layers', 'workspace'].map((name) => existsSync(join(at, 'work', name)))
    expect([code, ...made]).to.deep.equal([0, true, false, false])
  })

  it('take nothing from the cache of a service without one, and the run image of the builder', async () => {
    const { args } = await run('team/ruby', { env: { CACHE: 'off' } })
    expect(args).to.include('-skip-restore')
    for (const flag of ['-cache-image', '-previous-image', '-tag', '-run-image']) expect(args).not.to.include(flag)
  })

  it('give variables as files of the platform, and write no secret', async () => {
    const played = {
      lifecycle: `cat work/cnb/platform/env/*; echo "the token: ${secret}."; ${pushes}`,
      variables: { args: { COLOUR: 'dark "green"' }, secrets: { NPM_TOKEN: secret } },
    }
    const { output, args, creator } = await run('team/ruby', played)
    expect(output.split('\n').slice(0, 2)).to.deep.equal(['dark "green"***the token: ***.', "Adding layer 'a'"])
    expect(`${args.join(' ')} ${creator.output}`).not.to.include(secret)
  })

  it('leave a repository with a Dockerfile to BuildKit', async () => {
    const { output, cloned, creator, args } = await run('team/docker')
    expect(JSON.parse(cloned)).not.to.have.property('kind')
    expect(output).to.contain('BuildKit is started')
    expect([creator, args]).to.deep.equal([{ code: 0, output: '' }, []])
  })

  const nothing = ends(20, 'failed to detect: no buildpacks participating')
  it('go on with a Dockerfile of svc where no buildpack takes a repository that has one', async () => {
    const { output, place: at } = await run('team/node', { lifecycle: nothing })
    expect(output).to.contain(
      `no buildpack of ${builderImage} takes it (tried acme/go, acme/ruby): built by a Dockerfile of svc`,
    )
    expect(output).to.contain('BuildKit is started')
    expect(readFileSync(join(at, 'work/gen/Dockerfile'), 'utf8')).to.contain('npm install')
  })

  const access = (to: string) =>
    `failed to initialize analyzer: validating registry write access: failed to ensure ${to}`
  const ours = `registry read/write access to ${place}:web-1`
  const failures: [what: string, lifecycle: string | undefined, sentence: string][] = [
    [
      'what no buildpack takes',
      nothing,
      `the repository has no Dockerfile, and nothing else to build it by: no buildpack of ${builderImage} takes it (tried acme/go, acme/ruby), and it has none of bun.lock, bun.lockb, package.json, go.mod, requirements.txt, pyproject.toml, index.html, public/index.html`,
    ],
    [
      'a buildpack that fails while it looks',
      `echo 'err:  acme/ruby@1.0 (3)'; ${ends(21, 'failed to detect: buildpack(s) failed with err')}`,
      `no buildpack of ${builderImage} takes the repository, and one failed while it looked: acme/ruby@1.0 (3)`,
    ],
    [
      'a buildpack that fails',
      ends(51, 'failed to build: exit status 7', 'Gemfile.lock is missing'),
      'a buildpack failed: Gemfile.lock is missing (exit status 7)',
    ],
    [
      'a buildpack without memory',
      ends(51, 'failed to build: signal: killed', 'compiling'),
      'a buildpack was killed, most likely for want of memory: compiling',
    ],
    [
      'a buildpack on a full disk',
      ends(51, 'failed to build: exit status 1', 'write /layers/x: No space left on device'),
      'the disk of the build is full: write /layers/x: No space left on device',
    ],
    [
      'a full disk while it is exported',
      ends(62, 'failed to export: write /tmp/x: no space left on device'),
      'the disk of the build is full: failed to export: write /tmp/x: no space left on device',
    ],
    [
      'a buildpack that may start no other process',
      ends(51, 'failed to build: exit status 2', "build: line 1: can't fork: Resource temporarily unavailable"),
      "the build had more processes than it may have: build: line 1: can't fork: Resource temporarily unavailable",
    ],
    [
      'a buildpack that forks without end',
      `for n in $(seq 200); do echo "can't fork: Resource temporarily unavailable"; done; exec sleep 5`,
      "the build had more processes than it may have: can't fork: Resource temporarily unavailable",
    ],
    [
      'a refused login of the registry',
      ends(1, `${access(ours)}: POST http://r.example.test/v2/: unexpected status code 401 Unauthorized`),
      `the image could not be pushed to ${place}: ${access(ours)}: POST http://r.example.test/v2/: unexpected status code 401 Unauthorized`,
    ],
    [
      'a login that may read and not push',
      ends(1, `${access(ours)}: POST http://r.example.test/v2/svc/blobs/uploads/: DENIED: access is denied`),
      `the image could not be pushed to ${place}: ${access(ours)}: POST http://r.example.test/v2/svc/blobs/uploads/: DENIED: access is denied`,
    ],
    [
      'a registry that takes the layers and not the image',
      ends(62, `failed to export: failed to write image to the following tags: [${place}:web-1: PUT x: DENIED: no]`),
      `the image could not be pushed to ${place}: failed to export: failed to write image to the following tags: [${place}:web-1: PUT x: DENIED: no]`,
    ],
    [
      'a registry that is gone',
      ends(1, `${access(ours)}: Get "https://r.example.test/v2/": dial tcp 192.0.2.1:443: connect: connection refused`),
      `the registry of ${place} does not answer: ${access(ours)}: Get "https://r.example.test/v2/": dial tcp 192.0.2.1:443: connect: connection refused`,
    ],
    [
      'a registry that is gone before the cache is read',
      ends(1, `failed to create image cache: accessing cache image "${place}:c": dial tcp: no such host`),
      `the registry of ${place} does not answer: failed to create image cache: accessing cache image "${place}:c": dial tcp: no such host`,
    ],
    [
      'a run image that is not there',
      ends(62, 'failed to export: get run image top layer SHA: image has no layers'),
      'the run image of the buildpacks cannot be fetched: failed to export: get run image top layer SHA: image has no layers',
    ],
    [
      'a registry of the run image that is gone',
      ends(1, access('registry read access to docker.io/run:1: dial tcp: no such host')),
      `the run image of the buildpacks cannot be fetched: ${access('registry read access to docker.io/run:1: dial tcp: no such host')}`,
    ],
    [
      'a lifecycle of another time',
      ends(11, "failed to set platform API: platform API version '0.13' is incompatible with the lifecycle"),
      `the builder image ${builderImage} is of another version: failed to set platform API: platform API version '0.13' is incompatible with the lifecycle`,
    ],
    [
      'an image that is no builder',
      undefined,
      `the image ${builderImage} is no builder of Cloud Native Buildpacks: it has no /cnb/lifecycle/creator`,
    ],
    ['whatever else', ends(42, 'failed to restore: x'), 'the build by buildpacks failed: failed to restore: x'],
    [
      'a container that is ended',
      'echo working; kill -KILL 0',
      'the buildpacks ended before the build had, most likely for want of memory',
    ],
  ]
  for (const [what, lifecycle, sentence] of failures)
    it(`have a sentence for ${what}`, async () => {
      const { code, said, output } = await run('team/ruby', { lifecycle })
      expect(said.replaceAll(/\S+\/lifecycle\/creator/g, '/cnb/lifecycle/creator'), output).to.equal(sentence)
      expect(code).to.equal(1)
    })
})

describe('the cache of buildpacks', () => {
  const rows: [destination: string, plain: string[], can: boolean][] = [
    ['registry.example.test/svc', [], true],
    ['registry.example.test:5000/svc', ['registry.example.test:5000'], false],
    ['10.88.0.1:5000/svc/builds', ['10.88.0.1:5000'], true],
    ['172.20.0.1:5000/svc', ['172.20.0.1:5000'], true],
    ['172.40.0.1:5000/svc', ['172.40.0.1:5000'], false],
    ['registry.local:5000/svc', ['registry.local:5000'], true],
    ['localhost:5000/svc', ['localhost:5000'], true],
  ]
  for (const [destination, plain, can] of rows)
    it(`is ${can ? '' : 'not '}kept at ${destination}${plain.length === 0 ? '' : ' by plain HTTP'}`, () =>
      expect(canKeepCache(destination, plain)).to.equal(can))
})
