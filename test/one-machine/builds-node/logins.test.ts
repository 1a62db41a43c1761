/**
 * The logins of a build on a real node, the one of the repository and the one of the registry: what they are for works,
 * and they are nowhere that is read by others.
 */
import { expect } from 'chai'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { coreTypes } from '../../../cluster/objects/resource-type.ts'
import { systemNamespace } from '../../../kinds/meta/group.ts'
import { resourceTypes } from '../../../kinds/meta/resource-types.ts'
import { canHaveNode } from '../../../one-machine/node/can-have.ts'
import { type BuildNode, imagesMs, processes, startBuildNode } from './build-node.ts'
import { partsOfImages } from './image-contents.ts'
import { loginsIn, saveLogins } from './saved-logins.ts'

const can = canHaveNode()
const Dockerfile = `FROM busybox
COPY . /site
RUN sleep 3
CMD ["httpd", "-f", "-p", "8080", "-h", "/site"]
`

;(can.ok ? describe : describe.skip)('the logins of a build on a real node', function () {
  this.timeout(imagesMs)
  let node: BuildNode
  before(async () => {
    node = await startBuildNode()
    await node.git.commit('private/web', { Dockerfile, 'index.html': 'it is private\n' })
    await saveLogins(node)
  })
  after(() => node?.stop())

  it('without one a private repository is refused with a sentence', async () => {
    await node.create('locked', 'private/web')
    const { phase, summary } = await node.untilOver('locked')
    expect([phase, summary]).to.deep.equal([
      'Failed',
      'the build failed: the repository refuses the login, or needs one',
    ])
  })

  it('with one it is built, and no process has a login in its arguments or environment', async () => {
    const over = (async () => {
      await node.create('web', 'private/web', { connectionRef: 'git-login' })
      return node.untilOver('web')
    })()
    let isOver = false
    void over.finally(() => (isOver = true)).catch(() => undefined)
    const leaked = new Set<string>()
    let looked = 0
    for (; !isOver; looked += 1) for (const line of await processes()) if (loginsIn(line).length > 0) leaked.add(line)
    const { id, phase, summary } = await over
    expect(phase, `${summary}\n${await node.log('web', id)}`).to.equal('Succeeded')
    expect(await node.answer('web')).to.equal('it is private\n')
    expect([looked > 10, [...leaked]]).to.deep.equal([true, []])
  })

  it('none is in records, events, the logs of the deploy and of svc, or left in a Secret of the build', async () => {
    const { id } = await node.untilOver('web')
    const lists = [
      node.cluster.list(resourceTypes.build, { namespace: systemNamespace }),
      node.cluster.list(resourceTypes.app, { namespace: systemNamespace }),
      node.cluster.list(resourceTypes.deployment, { namespace: systemNamespace }),
      node.cluster.list(coreTypes.event, {}),
      node.cluster.list(coreTypes.secret, { namespace: 'svc-builds' }),
      node.cluster.list(coreTypes.pod, { namespace: 'svc-builds' }),
    ]
    for (const { items } of await Promise.all(lists)) expect(loginsIn(JSON.stringify(items))).to.deep.equal([])
    expect(loginsIn(await node.log('web', id))).to.deep.equal([])
    const folder = join(node.dataDir, 'logs')
    for (const file of readdirSync(folder))
      expect(loginsIn(readFileSync(join(folder, file), 'latin1')), file).to.deep.equal([])
  })

  it('none is in a layer or the settings of the image, nor in the cache', async () => {
    const parts = await partsOfImages(node.registry, '')
    const tags = new Set(parts.map(({ tag }) => tag))
    expect(tags.has('web-buildcache') && tags.size).to.equal(2)
    for (const tag of tags) expect(parts.filter((part) => part.tag === tag).length, tag).to.be.greaterThan(1)
    for (const { tag, digest, text } of parts) expect(loginsIn(text), `${tag} ${digest}`).to.deep.equal([])
  })
})
