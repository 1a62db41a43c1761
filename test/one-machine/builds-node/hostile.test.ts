/** Builds on a real node that write or hold a great deal, or look for a login: each ends, and the next one works. */
import { expect } from 'chai'
import { canHaveNode } from '../../../one-machine/node/can-have.ts'
import { type BuildNode, imagesMs, startBuildNode } from './build-node.ts'

const can = canHaveNode()
const logBytesMax = 600_000

;(can.ok ? describe : describe.skip)('hostile builds on a real node', function () {
  this.timeout(imagesMs)
  let node: BuildNode
  before(async () => void (node = await startBuildNode()))
  after(() => node?.stop())
  afterEach('the next build works', async () => {
    await node.git.commit('team/good', { Dockerfile: 'FROM svc/hello:1\n', 'README.md': String(Date.now()) })
    const { phase, log } = await built('good')
    expect(phase, log).to.equal('Succeeded')
  })

  const known = new Set<string>()
  async function built(name: string) {
    const former = known.has(name) ? (await node.client.call('apps.status', { app: name })).lastAttempt?.id : undefined
    if (known.has(name)) await node.client.call('apps.deploy', { app: name })
    else await node.create(known.add(name) && name, `team/${name}`)
    const over = await node.untilOver(name, former)
    return { ...over, log: await node.log(name, over.id) }
  }

  it('a log of 100 MB is cut by the builder, and what is kept of it has the end', async () => {
    const Dockerfile = `FROM busybox
RUN yes 'a line of a log without an end' | head -c 100000000
RUN echo 'the step after it' && exit 7
`
    await node.git.commit('team/loud', { Dockerfile })
    const { phase, summary, log } = await built('loud')
    expect([phase, /exit code: 7/.test(summary)], summary).to.deep.equal(['Failed', true])
    expect(log).to.match(/the step after it/)
    expect(log.length).to.be.lessThan(logBytesMax)
  })

  it('a repository of 100,000 files is built', async () => {
    await node.git.commitMany(
      'team/wide',
      { Dockerfile: 'FROM busybox\nCOPY . /all\nRUN find /all -type f | wc -l\n' },
      100_000,
    )
    const { log } = await built('wide')
    expect(log).to.match(/#\d+ \S+ 100001\n[^]*pushed /)
  })

  it('a build has no token of the cluster', async () => {
    const Dockerfile = `FROM busybox
RUN find / -xdev -path '*serviceaccount*' -name token 2>/dev/null | grep -c . | sed 's/^/tokens: /'
`
    await node.git.commit('team/curious', { Dockerfile })
    const { log } = await built('curious')
    expect(log).to.match(/tokens: 0\n/)
  })
})
