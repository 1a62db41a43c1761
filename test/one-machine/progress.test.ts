/** The progress output of a start. */
import { expect } from 'chai'
import { createProgress, type Progress } from '../../one-machine/start/progress.ts'

describe('progress', () => {
  let now = 0
  let written = ''
  let progress: Progress | undefined
  const open = (isTTY: boolean): Progress => {
    now = 0
    written = ''
    progress = createProgress({ isTTY, columns: 60, write: (text) => (written += text) }, () => now)
    return progress
  }
  afterEach(() => progress?.close())
  const nextDraw = () => new Promise((resolve) => setTimeout(resolve, 300))

  it('shows on a terminal one line with everything that is waited for', async () => {
    const shown = open(true)
    shown.begin('cluster')
    shown.begin('Temporal').report('opening its database')
    now = 3_000
    await nextDraw()
    expect(written).to.equal('  waiting for cluster 3 s, Temporal 3 s: opening its databa')
  })

  it('leaves a line for each step that ended, with its time', () => {
    const shown = open(true)
    const step = shown.begin('cluster')
    now = 3_140
    step.done('2 nodes')
    expect(written).to.equal('  cluster: 2 nodes (3.1 s)\n')
  })

  it('writes elsewhere only what is new, not every second of a build', () => {
    const shown = open(false)
    const step = shown.begin('servers')
    step.report('building etcd, 1 s so far, about 25 s left')
    step.report('building etcd, 6 s so far, about 19 s left')
    step.report('building kwok, 1 s so far, about 1 min left')
    expect(written).to.equal(
      '  servers: building etcd, 1 s so far, about 25 s left\n  servers: building kwok, 1 s so far, about 1 min left\n',
    )
  })

  it('is never silent for longer than ten seconds while something is waited for', async () => {
    const shown = open(false)
    shown.begin('cluster')
    now = 10_000
    await nextDraw()
    expect(written).to.equal('  waiting for cluster 10 s\n')
  })

  it('shows on a terminal what goes on in the background, and is silent about it elsewhere', async () => {
    const onTerminal = open(true)
    onTerminal.begin('ingress', 'background').report('building traefik')
    now = 3_000
    await nextDraw()
    expect(written).to.equal('  making ingress 3 s: building traefik')
    onTerminal.close()
    const shown = open(false)
    const step = shown.begin('ingress', 'background')
    step.report('building traefik, 1 s so far')
    now = 60_000
    await nextDraw()
    step.report('building traefik, 60 s so far')
    step.done('serves')
    expect(written).to.equal('  ingress: building traefik, 1 s so far\n  ingress: serves (60.0 s)\n')
  })

  it('says nothing more about steps once it is closed', () => {
    const shown = open(false)
    const step = shown.begin('cluster')
    shown.close()
    step.done('2 nodes')
    expect(written).to.equal('')
  })
})
