/** Supervised children: ready, restarted, stopped in order, and never left behind. */
import { expect } from 'chai'
import { spawn } from 'node:child_process'
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  createSupervisor,
  stopLeftovers,
  type ChildSpec,
  type Supervisor,
} from '../../one-machine/processes/supervisor.ts'
import { identify } from '../../one-machine/processes/identity.ts'
import { eventually, temporaryFolder } from './temporary.ts'

const module = new URL('../../one-machine/processes/supervisor.ts', import.meta.url).href

describe('a supervisor', () => {
  const folder = temporaryFolder()
  const inside = (name: string): string => join(folder(), name)
  let supervisor: Supervisor
  beforeEach(() => {
    supervisor = createSupervisor(inside('run.json'))
  })
  afterEach(() => supervisor.stop())

  /** A child that prints when it receives SIGTERM, and ends. */
  const obedient = (name: string, more: Partial<ChildSpec> = {}): ChildSpec => ({
    name,
    command: '/bin/sh',
    args: ['-c', `trap 'echo ${name} >> ${inside('stopped')}; exit 0' TERM; echo up; while :; do sleep 0.05; done`],
    logFile: inside(`${name}.log`),
    ready: async () => existsSync(inside(`${name}.log`)) && readFileSync(inside(`${name}.log`), 'utf8').includes('up'),
    ...more,
  })

  it('stops the last started child first', async () => {
    for (const name of ['one', 'two', 'three']) await supervisor.start(obedient(name))
    await supervisor.stop()
    expect(readFileSync(inside('stopped'), 'utf8')).to.equal('three\ntwo\none\n')
    expect(existsSync(inside('run.json'))).to.equal(false)
  })

  it('kills a child that does not stop in time', async () => {
    const pid = await supervisor.start({
      name: 'deaf',
      command: '/bin/sh',
      args: ['-c', 'trap "" TERM; while :; do sleep 0.05; done'],
      logFile: inside('log'),
      stopWithinMs: 200,
    })
    await supervisor.stop('together')
    expect(identify(pid)).to.equal(undefined)
  })

  it('shows the end of the log of a child that ends before it is ready', async () => {
    const spec = {
      name: 'broken',
      command: '/bin/sh',
      args: ['-c', 'echo no such thing; exit 3'],
      logFile: inside('log'),
      ready: async () => false,
    }
    const error = await supervisor.start(spec).catch((reason: unknown) => reason)
    expect((error as Error).message).to.match(
      /^broken ended \(exit code 3\) before it was ready; the end of .*:\nno such thing$/,
    )
  })

  it('says when a command cannot be run or a child is never ready', async () => {
    const late = await supervisor
      .start(obedient('late', { ready: async () => false, readyWithinMs: 100 }))
      .catch((reason: unknown) => reason)
    expect((late as Error).message).to.match(/^late is not ready after 0\.1 s; its log is /)
    const missing = await supervisor
      .start({ name: 'none', command: inside('nothing'), args: [], logFile: inside('log'), ready: async () => false })
      .catch((reason: unknown) => reason)
    expect((missing as Error).message).to.match(/^none ended /)
  })

  it('restarts a child that ended by itself, where the options say so', async () => {
    const ends: string[] = []
    const pid = await supervisor.start(obedient('kept', { keepAlive: true, onEnd: (reason) => ends.push(reason) }))
    supervisor.kill('kept', 'SIGKILL')
    await eventually(() => (supervisor.pids()['kept'] ?? pid) !== pid)
    expect(ends).to.deep.equal(['SIGKILL'])
  })

  it('restarts a child by name', async () => {
    const pid = await supervisor.start(obedient('one'))
    expect(await supervisor.restart('one')).to.not.equal(pid)
    expect(identify(pid)).to.equal(undefined)
  })

  it('restarts a child with another environment, and keeps that for later', async () => {
    const say = {
      command: '/bin/sh',
      args: ['-c', 'echo "it is $COLOUR"; sleep 100'],
      env: { COLOUR: 'red' },
      logFile: inside('one.log'),
    }
    const said = () => readFileSync(inside('one.log'), 'utf8')
    await supervisor.start({ ...obedient('one'), ...say, ready: async () => said().includes('red') })
    await supervisor.restart('one', { COLOUR: 'green' })
    await eventually(() => said() === 'it is red\nit is green\n')
    await supervisor.restart('one')
    await eventually(() => said() === 'it is red\nit is green\nit is green\n')
  })

  it('starts nothing more once everything was stopped', async () => {
    await supervisor.start(obedient('one'))
    await supervisor.stop()
    const error = await supervisor.restart('one').catch((reason: unknown) => reason)
    expect((error as Error).message).to.equal('one is not started: everything was stopped')
  })

  it('stops at the next start what a killed run left, and nothing else', async () => {
    const left = spawn('sleep', ['100'], { detached: true })
    const stranger = spawn('sleep', ['100'], { detached: true })
    const gone = new Promise((resolve) => left.once('exit', resolve))
    const identity = identify(left.pid ?? 0)
    writeFileSync(
      inside('old.json'),
      JSON.stringify([
        { name: 'left', ...identity },
        { name: 'reused', pid: stranger.pid, began: 'another time' },
      ]),
    )
    expect(await stopLeftovers(inside('old.json'))).to.deep.equal(['left'])
    await gone
    expect(stranger.exitCode).to.equal(null)
    stranger.kill('SIGKILL')
  })

  it('takes its children along when it is killed itself', async function () {
    if (process.platform !== 'linux') this.skip() // on other systems the next start stops them
    const script = `import('${module}').then(async m => console.log(await m.createSupervisor('${inside('r.json')}').start({ name: 'c', command: 'sleep', args: ['100'], logFile: '${inside('c.log')}' })))`
    const parent = spawn(process.execPath, ['-e', script])
    const pid = await new Promise<number>((resolve) =>
      parent.stdout.once('data', (data) => resolve(Number(String(data)))),
    )
    // Before the command runs, the child does not follow its parent yet: the next start ends it, by the run file.
    await eventually(() => readFileSync(`/proc/${pid}/comm`, 'utf8') === 'sleep\n', 20_000)
    parent.kill('SIGKILL')
    await eventually(() => identify(pid) === undefined, 20_000)
  })

  it('moves a log aside that has grown large', async () => {
    appendFileSync(inside('one.log'), Buffer.alloc(17 * 1024 * 1024, 10))
    await supervisor.start(obedient('one'))
    expect(existsSync(inside('one.log.1'))).to.equal(true)
  })
})
