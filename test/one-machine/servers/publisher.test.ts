/** How a server is downloaded, from a publisher of the test, and built where that may not be believed. */
import { expect } from 'chai'
import { createHash } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keepInCache, locateServer } from '../../../one-machine/servers/cache.ts'
import type { Download, Server } from '../../../one-machine/servers/server.ts'
import { comesWithoutBuild, resolveServers } from '../../../one-machine/servers/resolve.ts'
import { writeScript } from '../temporary.ts'
import { entry, name, program, version } from './scripts.ts'
import { useServers } from './resolve-world.ts'

describe('resolveServers with a publisher', () => {
  const { progressLines, inside, goCalls, resolve, installGo } = useServers()

  let publisher: HttpServer
  let base = ''
  let sums = ''
  let asked: string[] = []
  const body = program('downloaded')
  const sumOf = (text: string) => createHash('sha256').update(text).digest('hex')
  const download = (): Download => ({ url: `${base}/etcd`, sha256: sumOf(body) })
  const unpinned = (): Download => ({ url: `${base}/etcd`, checksumUrl: `${base}/SHA256SUMS` })
  const optedIn = { SVC_UNPINNED_DOWNLOADS: '1' }

  beforeEach(async () => {
    asked = []
    sums = `${sumOf(body)}  etcd\n`
    publisher = createServer((request, response) => {
      asked.push(request.url ?? '')
      if (request.url === '/gone') response.statusCode = 404
      response.end(request.url === '/etcd' ? body : sums)
    })
    await new Promise<void>((listening) => publisher.listen(0, '127.0.0.1', listening))
    base = `http://127.0.0.1:${(publisher.address() as AddressInfo).port}`
  })
  afterEach(() => publisher.close())

  it('downloads before it would build', async () => {
    installGo()
    expect(readFileSync(await resolve(entry(download())), 'utf8')).to.equal(body)
    expect(goCalls()).to.equal('')
  })

  it('knows beforehand whether a build can be done without', async () => {
    const comes = (server: Server, env: NodeJS.ProcessEnv = {}) =>
      comesWithoutBuild(name, { catalogue: { [name]: server }, cacheDir: inside('cache'), env })
    expect(await comes(entry(download())), 'a pinned file').to.equal(true)
    expect(await comes(entry(unpinned())), 'a file that may not be taken').to.equal(false)
    expect(await comes(entry({ ...download(), url: `${base}/gone` })), 'no such file').to.equal(false)
    expect(await comes(entry()), 'no download').to.equal(false)
    publisher.close()
    publisher.closeAllConnections()
    expect(await comes(entry(download())), 'a closed network').to.equal(false)
    keepInCache(writeScript(inside('made'), 'echo 1.2.3'), locateServer(inside('cache'), name, version))
    expect(await comes(entry()), 'the cache').to.equal(true)
  })

  it('accepts no file whose checksum differs, whatever its publisher says of it, and builds', async () => {
    installGo()
    const other = { ...unpinned(), sha256: sumOf('another file') }
    for (const env of [{}, optedIn]) {
      rmSync(inside('cache'), { recursive: true, force: true })
      expect(readFileSync(await resolve(entry(other), env), 'utf8')).to.equal(program('built'))
    }
    expect(asked).to.deep.equal(['/etcd', '/etcd'])
  })

  it('downloads nothing whose checksum only the publisher knows, and says so', async () => {
    installGo()
    expect(readFileSync(await resolve(entry(unpinned())), 'utf8')).to.equal(program('built'))
    expect(asked).to.deep.equal([])
    expect(progressLines[0]).to.match(
      /^etcd is built from source: no checksum of its download is known; SVC_UNPINNED_DOWNLOADS=1/,
    )
  })

  it("accepts the publisher's own checksum where that is asked for, and no other", async () => {
    installGo()
    expect(readFileSync(await resolve(entry(unpinned()), optedIn), 'utf8')).to.equal(body)
    rmSync(inside('cache'), { recursive: true })
    sums = `${'0'.repeat(64)}  etcd\n`
    expect(readFileSync(await resolve(entry(unpinned()), optedIn), 'utf8')).to.equal(program('built'))
  })

  it('builds when an archive does not hold what it should, and asks the publisher for the next one all the same', async () => {
    installGo()
    const names = [name, 'kwok'] as const
    const options = {
      catalogue: { etcd: entry({ ...download(), member: 'etcd' }), kwok: entry(download()) },
      cacheDir: inside('cache'),
      modulesDir: inside('modules'),
    }
    const found = await resolveServers(names, {
      ...options,
      env: { PATH: [inside('bin'), '/usr/bin', '/bin'].join(':') },
      progress: () => undefined,
    })
    expect(names.map((each) => readFileSync(found[each], 'utf8'))).to.deep.equal([program('built'), body])
  })

  it('builds within seconds when the publisher says nothing, or does not answer', async () => {
    installGo()
    const began = Date.now()
    publisher.removeAllListeners('request')
    expect(readFileSync(await resolve(entry(download())), 'utf8')).to.equal(program('built'))
    rmSync(inside('cache'), { recursive: true })
    publisher.close()
    publisher.closeAllConnections()
    expect(readFileSync(await resolve(entry(download())), 'utf8')).to.equal(program('built'))
    expect(Date.now() - began).to.be.lessThan(15_000)
  })
})
