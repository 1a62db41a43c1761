/** What the git server of one machine delivers of pushes, and when it delivers it again. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { readGitPush } from '../../../kinds/apps/git/git-delivery.ts'
import { eventually } from '../temporary.ts'
import { secret, useGitMachine } from './git-machine.ts'

describe('pushes to the git server of one machine', function () {
  this.timeout(60_000)
  const machine = useGitMachine()

  it('delivers a push to the service of its repository, signed, once, and nothing before there is one', async () => {
    const work = await machine.clone('work')
    const before = await machine.commit(work, 'before')
    await machine.git(work, 'push', '-q')
    await machine.server.deploy('sample', 'web', secret)
    const after = await machine.commit(work, 'after')
    await machine.git(work, 'push', '-q')
    await eventually(() => machine.deliveries.length > 0)
    await machine.git(work, 'push', '-q')
    const [only, ...others] = machine.deliveries
    expect(others).to.deep.equal([])
    expect(only).to.include({ url: '/webhooks/git/web', isSigned: true })
    expect(readGitPush(JSON.parse(only?.text ?? ''))).to.deep.equal({
      branch: 'main',
      isDefaultBranch: true,
      commit: after,
    })
    expect(JSON.parse(only?.text ?? '')).to.deep.include({ before })
    await eventually(() => !JSON.stringify(machine.hook()).includes('sending'))
    expect(machine.hook()).to.deep.equal({ service: 'web', secret, known: { main: after } })
  })

  it('delivers again what was not taken, under the same ID, also after it was started again', async () => {
    const work = await machine.clone('work')
    await machine.server.deploy('sample', 'web', secret)
    machine.answers = [500]
    const commitOfPush = await machine.commit(work, 'pushed')
    await machine.git(work, 'push', '-q')
    await eventually(() => machine.said.length > 0)
    expect(machine.said).to.deep.equal(['a push to sample does not deploy: the api answers 500 to the delivery'])
    await machine.server.stop()
    expect(machine.deliveries.length).to.equal(1)
    await machine.start()
    await eventually(() => machine.deliveries.length === 2)
    expect(machine.deliveries[1]?.id).to.equal(machine.deliveries[0]?.id)
    await eventually(() => !JSON.stringify(machine.hook()).includes('sending'))
    expect(machine.hook()).to.deep.include({ known: { main: commitOfPush } })
    await machine.server.stop()
    await machine.start()
    await machine.commit(work, 'again')
    await machine.git(work, 'push', '-q').catch(() => undefined) // to the port of the former start, which is kept while it is free
    await eventually(() => machine.deliveries.length === 3)
    expect(machine.deliveries[2]?.id, 'another push').not.to.equal(machine.deliveries[0]?.id)
  })

  it('delivers what was pushed before it died', async () => {
    const work = await machine.clone('work')
    await machine.server.deploy('sample', 'web', secret)
    await machine.server.stop() // as a kill between a push and its delivery
    const pushed = await machine.commit(work, 'pushed')
    await machine.git(work, 'push', '-q', join(machine.folder, 'repositories/sample.git'), 'main')
    await machine.start()
    await eventually(() => machine.deliveries.length === 1)
    expect(JSON.parse(machine.deliveries[0]?.text ?? '')).to.include({ after: pushed })
  })

  it('says once that the service is gone, and why a file of a person cannot be read', async () => {
    const work = await machine.clone('work')
    await machine.server.deploy('sample', 'web', secret)
    machine.answers = [401, 401]
    await machine.commit(work, 'one')
    await machine.git(work, 'push', '-q')
    await eventually(() => machine.said.length > 0)
    await machine.commit(work, 'two')
    await machine.git(work, 'push', '-q')
    await eventually(() => machine.deliveries.length === 2)
    expect(machine.said).to.deep.equal([
      'a push to sample does not deploy: its service is gone, or has another secret of its webhook',
    ])
    writeFileSync(machine.hookFile, `{"service": "web", "secret": "${secret}"`)
    await machine.commit(work, 'three')
    await machine.git(work, 'push', '-q')
    await eventually(() => machine.said.length === 2)
    expect(machine.said[1]).to.match(/sample\.json is no JSON with service and secret$/)
    expect(machine.said[1]).not.to.contain(secret)
  })
})
