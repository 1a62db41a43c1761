/** Sessions on a real pseudo-terminal: waiting, Ctrl-C, following logs, the pager, and opening a browser. */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { eventually } from '../cluster/eventually.ts'
import { recordOf } from '../client/records.ts'
import { startRecordedService, type RecordedService } from '../client/recorded-service.ts'
import { attempt, build, pending, statusOf } from '../client/status.ts'
import { onTerminal } from './on-terminal.ts'

describe('on a terminal', function () {
  this.timeout(30_000)
  let service: RecordedService
  let folder: string
  beforeEach(async () => {
    service = await startRecordedService()
    folder = await mkdtemp(join(tmpdir(), 'svc-terminal-'))
  })
  afterEach(async () => {
    await service.stop()
    await rm(folder, { recursive: true })
  })
  const start = (args: string[], env: Record<string, string> = {}) =>
    onTerminal(args, { SVC_URL: service.url, SVC_TOKEN: 'svw_a_b', SVC_CONFIG: join(folder, 'none.json'), ...env })
  const streamOf =
    (streams: ServerResponse[], first = '') =>
    (response: ServerResponse) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(first)
      streams.push(response)
    }
  const change = 'event: change\ndata: {"type":"change","resource":"apps","name":"web","op":"update"}\n\n'

  describe('deploy --wait', () => {
    let streams: ServerResponse[]
    beforeEach(() => {
      streams = []
      const connected = 'event: connected\ndata: {"type":"connected"}\n\n'
      service.on('GET /events', streamOf(streams, connected))
      service.on('POST /apps/web/deploy', {
        json: { ok: true, pending: [], deployed: true, title: '', detail: '', button: '' },
      })
      service.on('GET /apps/web/status', { json: statusOf() }, { json: pending('web-new') })
    })

    it('shows one line until the change stream says that it has ended', async () => {
      const run = start(['deploy', 'web', '--wait'])
      await run.shows('rolling out  1/2 ready')
      await eventually('it listens', () => streams.length === 1)
      service.on('GET /apps/web/status', { json: statusOf({ lastAttempt: attempt('web-new', 'Succeeded') }) })
      const changedAt = performance.now()
      streams[0]?.write(change)
      await run.shows('web is ready after')
      // The next read by the clock is up to three seconds away; the process itself ends a little later.
      expect(performance.now() - changedAt).to.be.below(1500)
      expect(await run.ended()).to.equal(0)
      expect(run.screen().split('\r\x1b[2K').at(-1)).to.match(
        /✓.* web is ready after \d+s: https:\/\/web.example.com\r\n$/,
      )
    })
    it('shows the step of the build that began last in that line', async () => {
      const lines: ServerResponse[] = []
      const line = (section: string, text: string) =>
        `data: ${JSON.stringify({ section: section.toLowerCase(), title: section, t: '', line: text })}\n\n`
      service.on('GET /apps/web/deployments/web-new/logs/stream', streamOf(lines, line('Clone', 'commit 1f2e3d')))
      service.on('GET /apps/web/status', {
        json: { ...pending('web-new', 'building'), build: build('web-new', 'Running') },
      })
      const run = start(['deploy', 'web', '--wait'])
      await run.shows('  Clone  commit 1f2e3d')
      lines[0]?.write(line('Build', '#6 [2/2] RUN make') + line('Build', '#6 0.2 cc -o web'))
      await run.shows('  Build  #6 [2/2] RUN make')
      service.on('GET /apps/web/status', { json: pending('web-new') })
      await run.shows('rolling out  1/2 ready')
      service.on('GET /apps/web/status', { json: statusOf({ lastAttempt: attempt('web-new', 'Succeeded') }) })
      lines[0]?.end('event: end\ndata: {}\n\n')
      expect(await run.ended()).to.equal(0)
      expect(run.screen()).not.to.match(/cc -o web|\n[^\r]*RUN make/)
    })
    it('says at Ctrl-C that the deploy goes on and how to come back', async () => {
      const run = start(['deploy', 'web', '--wait'])
      await run.shows('rolling out')
      run.type('\x03')
      expect(await run.ended()).to.equal(1)
      expect(run.screen()).to.include('the deploy of web goes on, look with `svc status web --wait`')
    })
  })

  it('logs -f goes on over a restart of the service and the copies of a new deploy, line by line', async () => {
    const line = (pod: string, t: number, text: string) =>
      `data: ${JSON.stringify({ t: `2026-11-21T13:00:0${t}Z`, service: 'web', pod, container: 'app', line: text, level: 'info', previous: false })}\n\n`
    const streams: ServerResponse[] = []
    service.on(
      'GET /apps/web/logs/stream',
      streamOf(streams, line('web-1', 1, 'first') + line('web-1', 1, 'second')),
      { status: 502, json: { error: 'could not complete the request', code: 'internal_error' } },
      streamOf(streams, line('web-1', 1, 'first') + line('web-1', 1, 'second') + line('web-1', 1, 'third')),
    )
    const run = start(['logs', 'web', '-f'], { NO_COLOR: '1' })
    await run.shows('second')
    streams[0]?.destroy()
    await run.shows('trying again')
    await run.shows('third')
    streams[1]?.write(line('web-2', 2, 'of the next deploy'))
    await run.shows('web-2 of the next deploy')
    run.type('\x03')
    expect(await run.ended()).to.equal(0)
    for (const text of ['first', 'second', 'third']) expect(run.screen().split(text), text).to.have.length(2)
    expect(service.asked.at(-1)?.path).to.include('tail=1000')
  })

  it('acts on no control character of a name: in a question, while it waits, and at the end', async () => {
    const json = recordOf({ kind: 'project', name: 'proj-1a2b3c4d', displayName: 'Shop\u001b[2J\u0007' })
    const gone = { status: 404, json: { error: 'project not found', code: 'not_found' } }
    service.on('GET /projects/proj-1a2b3c4d', { json }, { json }, { json }, gone)
    service.on('DELETE /projects/proj-1a2b3c4d', { json: { ok: true } })
    const run = start(['projects', 'delete', 'proj-1a2b3c4d', '--wait'])
    await run.shows('Delete project Shop (proj-1a2b3c4d')
    run.type('Shop\r')
    await run.shows('Shop is gone after')
    expect(await run.ended()).to.equal(0)
    for (const text of ['\u001b[2J', '\u0007']) expect(run.screen()).not.to.include(text)
    expect(service.asked.find(({ method }) => method === 'DELETE')?.path).to.include('confirmName=Shop%1B%5B2J%07')
  })

  it('help that is longer than the screen goes to the pager, and is printed where there is none', async () => {
    const paged = start(['--help'], { PAGER: `cat > ${folder}/paged` })
    expect(await paged.ended()).to.equal(0)
    expect(await readFile(join(folder, 'paged'), 'utf8'))
      .to.include('Usage: svc')
      .and.to.include('completion')
    expect(paged.screen()).not.to.include('Usage: svc')
    for (const PAGER of ['', 'no-such-pager']) {
      const printed = start(['--help'], { PAGER })
      expect(await printed.ended()).to.equal(0)
      expect(printed.screen(), `PAGER=${PAGER}`).to.include('Usage: svc')
    }
    const short = start(['-v'], { PAGER: `cat > ${folder}/version` })
    expect([await short.ended(), short.screen()]).to.deep.equal([0, 'dev\r\n'])
  })

  describe('open', () => {
    const browser = async (): Promise<Record<string, string>> => {
      const file = join(folder, 'browser')
      await writeFile(file, `#!/bin/sh\necho "$1" > ${folder}/opened.tmp && mv ${folder}/opened.tmp ${folder}/opened\n`)
      await chmod(file, 0o755)
      return { BROWSER: file }
    }
    const opened = async () => await readFile(join(folder, 'opened'), 'utf8').catch(() => '')
    const web = (url: string) => service.on('GET /apps/web', { json: recordOf({ kind: 'app', name: 'web', url }) })

    it('asks the browser for the address of a service', async () => {
      web('https://web.example.com')
      expect(await start(['open', 'web'], await browser()).ended()).to.equal(0)
      await eventually('the browser was asked', async () => (await opened()) !== '')
      expect(await opened()).to.equal('https://web.example.com/\n')
    })
    it('prints it where there is no browser', async () => {
      web('https://web.example.com')
      for (const env of [{ BROWSER: '/nowhere/browser' }, { DISPLAY: '', WAYLAND_DISPLAY: '', BROWSER: '' }]) {
        const run = start(['open', 'web'], env)
        expect([await run.ended(), run.screen()]).to.deep.equal([0, 'https://web.example.com/\r\n'])
      }
    })
    it('opens nothing but pages of the web', async () => {
      web('file:///etc/passwd')
      const run = start(['open', 'web'], await browser())
      expect([await run.ended(), await opened()]).to.deep.equal([1, ''])
      expect(run.screen()).to.include('none of the web')
    })
  })
})
