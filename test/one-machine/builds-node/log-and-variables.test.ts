/**
 * Builds on a real node: their log while they run, the variables that they get, what they leave out, and a repository
 * that is read over ssh.
 */
import { expect } from 'chai'
import type { DeploymentLine } from '../../../client/apps/follow-deployment.ts'
import { resourceTypes } from '../../../kinds/meta/resource-types.ts'
import { systemNamespace } from '../../../kinds/meta/group.ts'
import type { Build } from '../../../kinds/builds/kind.ts'
import { canHaveNode } from '../../../one-machine/node/can-have.ts'
import { type SshServer, startSshServer } from '../../harness/ssh-server.ts'
import { type BuildNode, imagesMs, processes, startBuildNode } from './build-node.ts'
import { partsOfImages } from './image-contents.ts'
import { eventuallyOnNode } from '../../cluster/eventually.ts'

const can = canHaveNode()
const secret = 'secret-of-the-build-variables'
const serves = 'CMD ["httpd", "-f", "-p", "8080", "-h", "/site"]\n'

;(can.ok ? describe : describe.skip)('the log and the variables of a build on a real node', function () {
  this.timeout(imagesMs)
  let node: BuildNode
  let sshd: SshServer | undefined
  before(async () => void (node = await startBuildNode()))
  after(async () => {
    await sshd?.stop()
    await node?.stop()
  })

  const { build } = resourceTypes
  const buildOf = (name: string) => node.cluster.get<Build>({ type: build, namespace: systemNamespace, name })
  const succeeded = async (app: string) => {
    const { id, phase, summary } = await node.untilOver(app)
    const log = await node.log(app, id)
    expect(phase, `${summary}\n${log}`).to.equal('Succeeded')
    return { id, log }
  }

  it('the log grows while the build runs, has each line once, and ends with the deploy', async () => {
    const Dockerfile = `FROM busybox\nRUN for n in 1 2 3 4 5 6; do echo "line $n of the step"; sleep 1; done\nRUN mkdir /site\n${serves}`
    await node.git.commit('team/slow', { Dockerfile })
    await node.create('slow', 'team/slow')
    const id = (await node.client.call('apps.status', { app: 'slow' })).lastAttempt?.id ?? ''
    const events = await node.client.call('apps.deployment-logs-stream', { app: 'slow', id })
    let partly = ''
    const lines: DeploymentLine[] = []
    for await (const { event, data } of events) {
      if (event === 'end') break
      const line = data as DeploymentLine // the view of the stream is data on the wire
      lines.push(line)
      if (line.line.endsWith('line 2 of the step')) partly = await node.log('slow', id)
    }
    expect(partly, 'the log while it runs').to.match(/Build\n[^]*line 2 of the step/)
    expect(partly).not.to.match(/line 6 of the step|exporting to image/)
    const numbers = lines.flatMap(({ section, line }) => {
      const [, number] = /^#\d+ \d\S* line (\d) of the step$/.exec(line) ?? []
      return number === undefined ? [] : [`${section} ${number}`]
    })
    expect(numbers).to.deep.equal([1, 2, 3, 4, 5, 6].map((n) => `build ${n}`))
    const sections = [...new Set(lines.map(({ section }) => section))]
    expect(sections).to.have.members(['clone', 'build', 'push', 'deploy'])
    const pushed = lines.filter(({ section }) => section === 'push').map(({ line }) => line)
    expect(pushed.join('\n')).to.match(/exporting to image[^]*pushing layers[^]*pushed \S+@sha256:/)
    const { log } = await succeeded('slow')
    for (const { section, line } of lines) if (section !== 'deploy') expect(log).to.include(line)
    const { spec, status } = (await buildOf(id)) ?? {}
    expect([spec?.trigger, status?.steps, status?.cachedSteps]).to.deep.equal(['manual', 2, 0])
    expect(status?.imageBytes).to.be.greaterThan(100_000)
  })

  it('another build takes its steps from the cache, and says how many', async () => {
    const former = (await node.client.call('apps.status', { app: 'slow' })).lastAttempt?.id
    await node.client.call('apps.build', { app: 'slow' })
    const { id, phase } = await node.untilOver('slow', former)
    const { status } = (await buildOf(id)) ?? {}
    expect([phase, status?.steps, status?.cachedSteps]).to.deep.equal(['Succeeded', 2, 2])
  })

  it('gets the variables that are named: plain ones as arguments, secret ones for a step alone', async () => {
    const Dockerfile = `FROM busybox
ARG COLOUR
ARG OTHER
RUN --mount=type=secret,id=TOKEN,env=TOKEN sleep 2 && echo "token $TOKEN, colour $COLOUR, other <$OTHER>" && mkdir /site && echo "$COLOUR \${#TOKEN}" >/site/index.html
COPY . /site/
${serves}`
    const files = { Dockerfile, '.dockerignore': 'left.txt\n', 'left.txt': 'x', 'taken.txt': 'it is taken\n' }
    await node.git.commit('team/vars', files)
    await node.client.call('apps.create', {
      ...{ project: node.project, environment: 'production', name: 'vars', source: 'git' },
      ...{ repository: 'team/vars', branch: 'main', runAsRoot: true },
    })
    for (const [key, value] of Object.entries({ COLOUR: 'dark "green"', OTHER: 'not asked for' }))
      await node.client.call('apps.config-set', { app: 'vars', key, value })
    await node.client.call('apps.secrets-set', { app: 'vars', key: 'TOKEN', value: secret })
    await node.client.call('apps.update', { app: 'vars', buildVariables: ['COLOUR', 'TOKEN'] })
    await node.client.call('apps.deploy', { app: 'vars' })
    const leaks = new Set<string>()
    let isOver = false
    const over = succeeded('vars').finally(() => (isOver = true))
    over.catch(() => undefined)
    while (!isOver)
      for (const line of await processes()) if (line.split('\n')[0]?.includes(secret) === true) leaks.add(line)
    const { log } = await over
    expect([...leaks], 'command lines').to.deep.equal([])
    expect(log).to.match(/token \*\*\*, colour dark "green", other <>/)
    expect(log).not.to.include(secret)
    expect(await node.answer('vars')).to.equal(`dark "green" ${secret.length}\n`)
    const [copy] = await node.copies('vars')
    const file = async (name: string) => (await fetch(`http://${copy?.status.podIP ?? ''}:8080/${name}`)).status
    expect([await file('taken.txt'), await file('left.txt')], '.dockerignore').to.deep.equal([200, 404])
  })

  it('has no secret variable in its image, its settings or the cache', async () => {
    const parts = await partsOfImages(node.registry, 'vars-')
    expect(new Set(parts.map(({ tag }) => tag)).size).to.equal(2)
    for (const { tag, digest, text } of parts) expect(text, `${tag} ${digest}`).not.to.include(secret)
  })

  it('is refused with the name of a variable that is not there', async () => {
    const former = (await node.client.call('apps.status', { app: 'vars' })).lastAttempt?.id
    await node.client.call('apps.update', { app: 'vars', buildVariables: ['COLOUR', 'MISSING'], deploy: true })
    const { phase, summary } = await node.untilOver('vars', former)
    expect([phase, summary]).to.deep.equal([
      'Failed',
      'the build failed: the build asks for MISSING, and the service has no plain or secret variable of that name',
    ])
  })

  it('a repository with files in Git LFS is refused where the builder has no git-lfs', async () => {
    await node.git.commit('team/lfs', {
      Dockerfile: 'FROM busybox\n',
      '.gitattributes': '*.bin filter=lfs\n',
      'a.bin': 'x',
    })
    await node.create('lfs', 'team/lfs')
    const { phase, summary } = await node.untilOver('lfs')
    expect([phase, summary]).to.deep.equal([
      'Failed',
      'the build failed: the repository has files in Git LFS, which this builder cannot fetch',
    ])
  })

  it('a repository is read over ssh with the deploy key of the service, and by no other host key afterwards', async () => {
    sshd = await startSshServer(node.host)
    await node.git.commit('team/ssh', { Dockerfile: 'FROM svc/hello:1\n' })
    const repository = `${sshd.address}${node.git.folderOf('team/ssh')}`
    await node.create('ssh', repository)
    expect((await node.untilOver('ssh')).summary).to.match(/is read over ssh, and there is no key for it/)
    const { publicKey } = await node.client.call('apps.deploy-key-rotate', { app: 'ssh' })
    sshd.allow(publicKey)
    const deployed = async () => {
      const former = (await node.client.call('apps.status', { app: 'ssh' })).lastAttempt?.id
      await node.client.call('apps.deploy', { app: 'ssh' })
      return node.untilOver('ssh', former)
    }
    const { id, phase, summary } = await deployed()
    expect(phase, `${summary}\n${await node.log('ssh', id)}`).to.equal('Succeeded')
    await eventuallyOnNode('it answers', async () => (await node.answer('ssh')).startsWith('hello from version 1'))
    const { hosts } = await node.client.call('apps.deploy-key', { app: 'ssh' })
    expect(hosts).to.have.length(1)
    sshd.allow()
    expect((await deployed()).summary).to.match(/the git server refuses the ssh key: its public half has to be a key/)
  })
})
