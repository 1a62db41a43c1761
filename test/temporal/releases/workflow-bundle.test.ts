/** The workflow bundle is built once for the present sources. */
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { workflowBundle } from '../../../temporal/releases/workflow-bundle.ts'

describe('the workflow bundle', () => {
  let folder: string
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-bundle-test-'))
  })
  after(() => rm(folder, { recursive: true, force: true }))

  it('is made when there is none, holds every workflow, and is taken as it is the next time', async function () {
    this.timeout(60_000)
    const made = await workflowBundle(folder)
    const { mtimeMs } = await stat(made)
    const code = await readFile(made, 'utf8')
    for (const workflow of ['service', 'project', 'resync'])
      expect(code).to.match(new RegExp(`function ${workflow}\\(`))
    expect(await workflowBundle(folder)).to.equal(made)
    expect((await stat(made)).mtimeMs).to.equal(mtimeMs)
    expect(await readdir(folder), 'no half-written file stays').to.have.length(1)
  })

  it('is refused where it cannot be kept', async () => {
    const error = await workflowBundle('/dev/null/nowhere').catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(Error)
  })
})
