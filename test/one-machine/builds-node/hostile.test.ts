/** Builds on a real node that write or hold a great deal, or look for a login: each ends, and the next one works. */
import { expect } from 'chai'
import { builderImageName } from '../../../one-machine/images/builder.ts'
import { canHaveNode } from '../../../one-machine/node/can-have.ts'
import { type BuildNode, imagesMs, startBuildNode } from './build-node.ts'

const can = canHaveNode()
const logBytesMax = 600_000
/** A deploy whose copies exit ends only after several restarts, which the node delays up to minutes. */
const runs = 'CMD ["sleep", "100000"]\n'

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
      { Dockerfile: `FROM busybox\nCOPY . /all\nRUN find /all -type f | wc -l\n${runs}` },
      100_000,
    )
    const { log } = await built('wide')
    expect(log).to.match(/#\d+ \S+ 100001\n[^]*pushed /)
  })

  const tooMany = /^the build failed: the build had more processes than it may have: /

  it('a step that forks without end is held, and the build says so', async () => {
    const Dockerfile = 'FROM busybox\nRUN fork() { fork | fork & }; fork; while :; do sleep 1; done\n'
    await node.git.commit('team/bomb', { Dockerfile })
    const { phase, summary, log } = await built('bomb')
    expect([phase, tooMany.test(summary)], `${summary}\n${log}`).to.deep.equal(['Failed', true])
  })

  it('so are steps of several users, whom only the limit of the pod holds together', async () => {
    const quiet = '</dev/null >/dev/null 2>&1' // else the step would wait for them
    const asUser = (id: number) =>
      `USER ${id}\nRUN for each in $(seq 2800); do sleep 900 ${quiet} & done; echo "${id} was here"\n`
    await node.git.commit('team/crowd', { Dockerfile: `FROM busybox\n${[2001, 2002].map(asUser).join('')}` })
    const { phase, summary, log } = await built('crowd')
    expect([phase, tooMany.test(summary)], `${summary}\n${log}`).to.deep.equal(['Failed', true])
    expect(log)
      .to.match(/2001 was here/)
      .and.not.to.match(/\d 2002 was here/)
  })

  const from = `FROM ${builderImageName}\nENV GIT_SSL_NO_VERIFY=1 GIT_TERMINAL_PROMPT=0\n`
  const calls: [what: string, address: string, answer: RegExp][] = [
    ['the metadata address of a cloud', 'http://169.254.169.254/latest', /Failed to connect|exit code: 124/],
    // This node does not enforce the network policy of builds: the API server is reached, and wants a login.
    ['the api server', 'https://kubernetes.default.svc/api', /fatal: could not read Username|error: 40[13]/],
  ]
  for (const [place, [what, address, answer]] of calls.entries())
    it(`a step that calls ${what} gets nothing there, and is named with its command`, async () => {
      const command = `timeout 10 git ls-remote ${address}`
      await node.git.commit(`team/caller-${place}`, { Dockerfile: `${from}RUN ${command}\n` })
      const { phase, summary, log } = await built(`caller-${place}`)
      const said = `the build failed: process "/bin/sh -c ${command}" did not complete successfully: exit code: `
      expect([phase, summary.startsWith(said)], `${summary}\n${log}`).to.deep.equal(['Failed', true])
      expect(log).to.match(answer)
    })

  it('a build has no token of the cluster', async () => {
    const Dockerfile = `FROM busybox
RUN find / -xdev -path '*serviceaccount*' -name token 2>/dev/null | grep -c . | sed 's/^/tokens: /'
${runs}`
    await node.git.commit('team/curious', { Dockerfile })
    const { log } = await built('curious')
    expect(log).to.match(/tokens: 0\n/)
  })
})
