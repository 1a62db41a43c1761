/**
 * Repositories without a Dockerfile on a real node whose install names a builder of Cloud Native Buildpacks: its
 * lifecycle builds what its buildpacks take, and BuildKit the rest.
 */
import { expect } from 'chai'
import { join } from 'node:path'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { systemNamespace } from '../../../kinds/meta/group.ts'
import { resourceTypes } from '../../../kinds/meta/resource-types.ts'
import { canHaveNode } from '../../../one-machine/node/can-have.ts'
import { eventuallyOnNode } from '../../cluster/eventually.ts'
import { type BuildNode, imagesMs, startBuildNode } from './build-node.ts'
import { cnbBuilder, pushCnbImages } from './buildpacks-images.ts'
import { partsOfImages } from './image-contents.ts'
import { loginsIn, saveLogins } from './saved-logins.ts'

const can = canHaveNode()
const token = 'token-of-the-service'
const leaksIn = (text: string) => loginsIn(text, [token])
const Dockerfile = `FROM busybox
COPY hello.txt /site/index.html
CMD ["httpd", "-f", "-p", "8080", "-h", "/site"]
`

;(can.ok ? describe : describe.skip)('buildpacks on a real node', function () {
  this.timeout(imagesMs)
  let node: BuildNode
  before(async () => {
    node = await startBuildNode({ SVC_BUILD_BUILDPACKS: cnbBuilder, SVC_BUILD_MEMORY: '1Gi' })
    await pushCnbImages(node.registry, join(node.dataDir, 'images-cnb.json'))
    await saveLogins(node)
  })
  after(() => node?.stop())

  /** The deploy after `former`, and its log. */
  const over = async (name: string, former?: string) => {
    const ended = await node.untilOver(name, former)
    return { ...ended, log: await node.log(name, ended.id) }
  }
  const built = async (name: string, former?: string) => {
    const ended = await over(name, former)
    expect(ended.phase, `${ended.summary}\n${ended.log}`).to.equal('Succeeded')
    return ended
  }
  const answers = async (name: string, pattern: RegExp): Promise<string[]> => {
    let said = ''
    const isSaid = async () => pattern.test((said = await node.answer(name).catch(String)))
    await eventuallyOnNode(`${name} answers`, isSaid).catch(() => expect(said).to.match(pattern))
    return pattern.exec(said) ?? []
  }
  let first = { id: '', words: '' }

  it('a repository that a buildpack takes is built by it, and answers', async () => {
    await node.git.commit('private/hello', { 'hello.txt': 'hello' })
    await node.create('hello', 'private/hello', { connectionRef: 'git-login' })
    const { id, log } = await built('hello')
    expect(log).to.contain(`no Dockerfile: built by the buildpacks of ${cnbBuilder}`)
    expect(log).to.match(/\nBuild\n(.*\n)*===> DETECTING\n(.*\n)*the token is not there\n(.*\n)*Push\n===> EXPORTING\n/)
    expect(log).to.match(/\npushed \S+\/svc\/builds:hello-[0-9a-f]{12}@sha256:[0-9a-f]{64}: 0 of \d+ layers reused\n/)
    const [, words = ''] = await answers('hello', /^hello, grey, ([0-9a-f-]{36}), 1002:1003\n$/)
    first = { id, words }
  })

  it('the next build has its variables, and takes layers from the cache', async () => {
    await node.client.call('apps.config-set', { app: 'hello', key: 'COLOUR', value: 'green' })
    await node.client.call('apps.secrets-set', { app: 'hello', key: 'TOKEN', value: token })
    await node.client.call('apps.update', { app: 'hello', buildVariables: ['COLOUR', 'TOKEN'] })
    await node.git.commit('private/hello', { 'hello.txt': 'hello again' })
    await node.client.call('apps.deploy', { app: 'hello' })
    const { log } = await built('hello', first.id)
    expect(log).to.contain('the words are in the cache').and.to.contain('the token is ***')
    expect(log).to.match(/: [1-9] of \d+ layers reused\n/)
    const [, words] = await answers('hello', /^hello again, green, ([0-9a-f-]{36}),/)
    expect(words).to.equal(first.words)
  })

  it('no login and no secret variable is in an image, the cache, the log or a record', async () => {
    const parts = await partsOfImages(node.registry, 'hello-')
    const tags = [...new Set(parts.map(({ tag }) => tag.replace(/[0-9a-f]{12}$/, 'commit')))]
    expect(tags.toSorted()).to.deep.equal(['hello-buildpacks', 'hello-buildpackscache', 'hello-commit'])
    for (const { tag, digest, text } of parts) expect(leaksIn(text), `${tag} ${digest}`).to.deep.equal([])
    const { lastAttempt } = await node.client.call('apps.status', { app: 'hello' })
    for (const id of [first.id, lastAttempt?.id ?? ''])
      expect(leaksIn(await node.log('hello', id)), id).to.deep.equal([])
    const lists = [
      node.cluster.list(resourceTypes.build, { namespace: systemNamespace }),
      node.cluster.list(resourceTypes.deployment, { namespace: systemNamespace }),
      node.cluster.list(coreTypes.event, {}),
      node.cluster.list(coreTypes.pod, {}),
    ]
    for (const { items } of await Promise.all(lists)) expect(leaksIn(JSON.stringify(items))).to.deep.equal([])
  })

  it('a repository with a Dockerfile is built by BuildKit all the same', async () => {
    await node.git.commit('team/docker', { Dockerfile, 'hello.txt': 'by BuildKit' })
    await node.create('docker', 'team/docker')
    const { log } = await built('docker')
    expect(log).to.contain('exporting to image').and.not.to.contain('===>')
    await answers('docker', /^by BuildKit$/)
  })

  it('what no buildpack takes is built by a Dockerfile of svc, where there is one', async () => {
    await node.git.commit('team/site', { 'index.html': 'a site\n' })
    await node.create('site', 'team/site')
    const { log } = await built('site')
    const tried = `no buildpack of ${cnbBuilder} takes it (tried svc-test/broken, svc-test/hello)`
    expect(log).to.contain(`${tried}: built by a Dockerfile of svc`).and.to.contain('exporting to image')
    await answers('site', /^a site\n$/)
  })

  const refusals: [what: string, files: Record<string, string>, why: RegExp][] = [
    [
      'a repository that nothing knows',
      { README: 'x' },
      /^the repository has no Dockerfile, and nothing else to build it by: no buildpack of \S+ takes it \(tried svc-test\/broken, svc-test\/hello\), and it has none of bun\.lock, .*index\.html$/,
    ],
    ['a buildpack that fails', { 'broken.txt': 'x' }, /^a buildpack failed: broken\.txt says no \(exit status 7\)$/],
    [
      'a buildpack that fails while it looks',
      { 'broken.txt': 'detect' },
      /^no buildpack of \S+ takes the repository, and one failed while it looked: svc-test\/broken@1\.0\.0 \(3\)$/,
    ],
    [
      'a buildpack that takes more memory than there is',
      { 'hello.txt': 'x', 'takes-memory': '' },
      /^(the build needed more memory than it may have|the buildpacks ended before .* want of memory|a buildpack was killed.*)$/,
    ],
  ]
  for (const [at, [what, files, why]] of refusals.entries())
    it(`${what} fails the build with a sentence`, async () => {
      await node.git.commit(`team/refused-${at}`, files)
      await node.create(`refused-${at}`, `team/refused-${at}`)
      const { phase, summary, log } = await over(`refused-${at}`)
      expect(summary.replace('the build failed: ', ''), log).to.match(why)
      expect(phase).to.equal('Failed')
    })

  it('a build that is cancelled ends, and its pod goes', async () => {
    await node.git.commit('team/slow', { 'hello.txt': 'slow', seconds: '600' })
    await node.create('slow', 'team/slow')
    const id = (await node.client.call('apps.status', { app: 'slow' })).lastAttempt?.id ?? ''
    const isBuilding = async () => (await node.log('slow', id)).includes('the token is')
    await eventuallyOnNode('the buildpack runs', isBuilding)
    await node.client.call('apps.build-cancel', { app: 'slow' })
    const { summary, log } = await over('slow')
    expect(summary).to.contain('the build was cancelled')
    expect(log).to.contain('===> BUILDING')
    const isGone = async () => (await node.cluster.list(coreTypes.pod, { namespace: 'svc-builds' })).items.length === 0
    await eventuallyOnNode('its pod is gone', isGone)
  })
})
