/** How a server is found, or built by a Go of the test. */
import { expect } from 'chai'
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { keepInCache, locateServer } from '../../../one-machine/servers/cache.ts'
import { takeLock } from '../../../one-machine/processes/lock.ts'
import { findMissing, forgetBuilds } from '../../../one-machine/servers/resolve.ts'
import { eventually, writeScript } from '../temporary.ts'
import { entry, name, program, version } from './scripts.ts'
import { useServers } from './resolve-world.ts'

const run = promisify(execFile)

describe('resolveServers', () => {
  const { progressLines, inside, goCalls, resolve, installGo } = useServers()

  it('takes the executable the environment names, whatever its version', async () => {
    const own = writeScript(inside('own'), 'echo 9.9.9')
    expect(await resolve(entry(), { SVC_ETCD: own })).to.equal(own)
  })

  it('refuses an environment variable that names no executable', async () => {
    const error = await resolve(entry(), { SVC_ETCD: inside('nothing') }).catch((reason: unknown) => reason)
    expect((error as Error).message).to.equal(`SVC_ETCD names ${inside('nothing')}, which is no executable file`)
  })

  it('takes a program on the PATH when it has the pinned version', async () => {
    writeFileSync(inside('bin/etcd'), program('found'), { mode: 0o755 })
    expect(await resolve(entry())).to.equal(inside('bin/etcd'))
  })

  it('leaves a program of another version on the PATH alone', async () => {
    writeScript(inside('bin/etcd'), 'echo etcd version v1.2.30')
    installGo()
    expect(await resolve(entry())).to.equal(locateServer(inside('cache'), name, version))
  })

  it('takes a program on the PATH of another version that does as well', async () => {
    writeScript(inside('bin/etcd'), 'echo etcd, version 2.42.0+ds')
    expect(await resolve({ ...entry(), alsoTaken: ['2.42.0'] })).to.equal(inside('bin/etcd'))
  })

  it('builds once with the pinned flags and finds it in the cache ever after', async () => {
    installGo()
    const built = await resolve(entry())
    expect(readFileSync(built, 'utf8')).to.equal(program('built'))
    expect(goCalls()).to.match(/^build -trimpath .*-X main\.version=1\.2\.3 -o .* example\.org\/fake$/m)
    expect(progressLines.join('\n')).to.match(/building etcd 1\.2\.3 from source/)
    rmSync(inside('go-calls'))
    expect(await resolve(entry())).to.equal(built)
    expect(goCalls()).to.equal('')
  })

  it('leaves nothing behind in the cache but the server', async () => {
    installGo()
    const built = await resolve(entry())
    expect(existsSync(`${built}.new`)).to.equal(false)
    expect(existsSync(inside('cache/go-build'))).to.equal(false)
    expect(existsSync(inside('cache/servers/making.lock'))).to.equal(false)
  })

  it('builds with a priority no higher than its own', async () => {
    // Later than the one it begins with is changed.
    installGo(`[ "$1" = build ] && sleep 0.5 && nice > ${inside('nice')}`)
    const module = new URL('../../../one-machine/servers/resolve.ts', import.meta.url).href
    const options = {
      catalogue: { [name]: entry() },
      cacheDir: inside('cache'),
      modulesDir: inside('modules'),
      env: { PATH: [inside('bin'), '/usr/bin', '/bin'].join(':') },
    }
    const code = `import { resolveServers } from '${module}'
      await resolveServers(['${name}'], { ...${JSON.stringify(options)}, progress: () => undefined })`
    await run('nice', ['-n', '12', process.execPath, '--input-type=module', '-e', code])
    expect(Number(readFileSync(inside('nice'), 'utf8'))).to.be.at.least(12)
  })

  it('knows what is missing, and how long building it takes here', async () => {
    const options = {
      catalogue: { etcd: entry(), kwok: { ...entry(), buildSeconds: 30 } },
      cacheDir: inside('cache'),
      modulesDir: inside('modules'),
      env: {},
    }
    expect(findMissing(['etcd', 'kwok'], 4, options)).to.deep.equal({ names: ['etcd', 'kwok'], seconds: 45 })
    installGo()
    await resolve(entry())
    expect(findMissing(['etcd', 'kwok'], 2, options)).to.deep.equal({ names: ['kwok'], seconds: 30 })
  })

  it('keeps what was compiled while more is to come, until it is to be forgotten', async () => {
    installGo('[ "$1" = build ] && mkdir -p "$GOCACHE"')
    const compiled = (): boolean => existsSync(inside('cache/go-build'))
    await resolve(entry(), {}, { keepBuilds: true })
    expect(compiled()).to.equal(true)
    const lock = takeLock(inside('cache/servers/making.lock'))
    forgetBuilds(inside('cache'))
    expect(compiled(), 'another process needs it').to.equal(true)
    lock.release()
    forgetBuilds(inside('cache'))
    expect(compiled()).to.equal(false)
  })

  it('builds from copies of modules in which files stand in for others or are left out', async () => {
    for (const file of ['big.go', 'other.go', 'same.go']) {
      mkdirSync(inside('verified'), { recursive: true })
      writeFileSync(join(inside('verified'), file), 'as published')
    }
    writeFileSync(inside('modules/fake/small.go'), 'small')
    // In the copy, which is read while it exists.
    installGo(
      `[ "$1" = list ] && echo ${inside('verified')}`,
      `[ "$1" = build ] && (cd source-0 && grep . *) > ${inside('built-from')}`,
    )
    await resolve({
      ...entry(),
      altered: [{ module: 'example.org/clouds', files: { 'big.go': 'small.go', 'other.go': '' } }],
    })
    expect(readFileSync(inside('built-from'), 'utf8')).to.equal('big.go:small\nsame.go:as published\n')
    expect(goCalls()).to.contain('mod edit -replace example.org/clouds=./source-0\n')
    expect(readFileSync(inside('verified/big.go'), 'utf8')).to.equal('as published')
  })

  it('makes a server again whose file in the cache was cut short', async () => {
    installGo()
    const built = await resolve(entry())
    writeFileSync(built, program('built').slice(0, 5))
    expect(await resolve(entry())).to.equal(built)
    expect(readFileSync(built, 'utf8')).to.equal(program('built'))
    expect(progressLines).to.include('etcd in the cache is not whole, it is made anew')
  })

  it('is not misled by what an interrupted build left', async () => {
    installGo()
    mkdirSync(inside('cache/making-old'), { recursive: true })
    const half = `${locateServer(inside('cache'), name, version)}.new`
    mkdirSync(dirname(half), { recursive: true })
    writeFileSync(half, 'half')
    expect(readFileSync(await resolve(entry()), 'utf8')).to.equal(program('built'))
    expect(existsSync(inside('cache/making-old'))).to.equal(false)
  })

  it('says in one sentence that there is no Go', async () => {
    const error = await resolve(entry(), { PATH: inside('bin') }).catch((reason: unknown) => reason)
    expect((error as Error).message).to.match(
      /^etcd is neither .* no Go to build it: install Go 1\.26 or newer from https:\/\/go\.dev\/dl/,
    )
  })

  it('says in one sentence that Go is too old', async () => {
    installGo('[ "$1" = env ] && { echo "go: go.mod requires go >= 1.26 (running go 1.19)" >&2; exit 1; }')
    const error = await resolve(entry()).catch((reason: unknown) => reason)
    expect((error as Error).message).to.match(
      /^etcd cannot be built because Go is too old \(go: go\.mod requires go >= 1\.26/,
    )
  })

  it('says in one sentence that the disk is full, and keeps the cache whole', async () => {
    installGo('[ "$1" = build ] && { echo "write /x: no space left on device" >&2; exit 1; }')
    const error = await resolve(entry()).catch((reason: unknown) => reason)
    expect((error as Error).message).to.equal('there is no space left to build etcd; free some and start again')
    expect(existsSync(locateServer(inside('cache'), name, version))).to.equal(false)
  })

  it('shows the last lines of a build that failed', async () => {
    installGo('[ "$1" = build ] && { echo "fake.go:1: oh no" >&2; exit 1; }')
    const error = await resolve(entry()).catch((reason: unknown) => reason)
    expect((error as Error).message).to.equal('go build of etcd failed:\nfake.go:1: oh no')
  })

  it('builds nothing that may not be built', async () => {
    installGo()
    const error = await resolve(entry(), {}, { mayBuild: false }).catch((reason: unknown) => reason)
    expect((error as Error).message).to.equal('etcd is neither on this machine nor to be downloaded')
    expect(goCalls()).to.equal('')
    const built = await resolve(entry())
    expect(await resolve(entry(), {}, { mayBuild: false })).to.equal(built)
  })

  it('waits for another process that makes servers and says so', async () => {
    installGo()
    const lock = takeLock(inside('cache/servers/making.lock'))
    const resolving = resolve(entry())
    await eventually(() => progressLines.length > 0)
    expect(progressLines).to.deep.equal([`process ${process.pid} is making servers for the same cache; waiting for it`])
    lock.release()
    expect(readFileSync(await resolving, 'utf8')).to.equal(program('built'))
  })

  it('waits for another process no longer than it takes to make what is missing here', async () => {
    const lock = takeLock(inside('cache/servers/making.lock'))
    const resolving = resolve(entry())
    await eventually(() => progressLines.length > 0)
    const made = locateServer(inside('cache'), name, version)
    const draft = writeScript(inside('made'), 'echo etcd version v1.2.3')
    keepInCache(draft, made)
    expect(await resolving).to.equal(made)
    expect(goCalls()).to.equal('')
    lock.release()
  })
})
