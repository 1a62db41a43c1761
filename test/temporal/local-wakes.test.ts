/** Wakes for passes that wait within this process. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { LocalWakes } from '../../temporal/watch/local-wakes.ts'

const longMs = 60_000
const passesMax = 8
const claimMs = 2_000

describe('wakes within the process', () => {
  let wakes: LocalWakes
  let sent: string[]
  const take = (name: string, isNew = false): boolean => wakes.take(name, () => sent.push(name), { isNew })

  beforeEach(() => {
    wakes = new LocalWakes()
    sent = []
  })

  it('end the wait of the pass over that service, once, and are not sent', async () => {
    wakes.expect('web')
    const wait = wakes.wait('web', longMs)
    expect(take('other')).to.equal(false)
    expect(take('web')).to.equal(true)
    expect(take('web'), 'nothing waits any more').to.equal(false)
    expect(await wait).to.equal(true)
    expect(sent).to.deep.equal([])
  })

  it('are kept for a pass that has begun and does not wait yet', async () => {
    wakes.expect('web')
    expect(take('web')).to.equal(true)
    expect(await wakes.wait('web', longMs)).to.equal(true)
    expect(sent).to.deep.equal([])
  })

  it('about something new are the own of a pass that has begun, and news to one that waits', async () => {
    wakes.expect('web')
    expect(take('web', true)).to.equal(false)
    const wait = wakes.wait('web', longMs)
    expect(take('web', true)).to.equal(true)
    expect(await wait).to.equal(true)
  })

  it('are sent when the pass does not wait after all', () => {
    wakes.expect('web')
    take('web')
    wakes.release('web')
    expect(sent).to.deep.equal(['web'])
    expect(take('web')).to.equal(false)
  })

  it('are kept however long the pass takes', async () => {
    wakes.expect('web')
    take('web')
    await sleep(claimMs + 100)
    wakes.follow('web')
    expect(await wakes.wait('web', longMs)).to.equal(true)
    expect(sent).to.deep.equal([])
  })

  it('are sent when the look does not come', async () => {
    wakes.expect('web')
    take('web')
    wakes.follow('web')
    await sleep(claimMs + 100)
    expect(sent).to.deep.equal(['web'])
  })

  it('are not awaited beyond the time, nor by a pass that was not expected', async () => {
    wakes.expect('web')
    expect(await wakes.wait('web', 1)).to.equal(false)
    expect(take('web')).to.equal(false)
    expect(await wakes.wait('web', longMs)).to.equal(false)
  })

  it('a pass that begins while another waits takes nothing from it', async () => {
    wakes.expect('web')
    const wait = wakes.wait('web', longMs)
    wakes.expect('web')
    expect(await wakes.wait('web', longMs), 'a second one does not wait').to.equal(false)
    wakes.release('web')
    expect(take('web')).to.equal(true)
    expect(await wait).to.equal(true)
  })

  it('are awaited by few at a time', async () => {
    const names = Array.from({ length: passesMax }, (_, place) => `web-${place}`)
    for (const name of names) wakes.expect(name)
    wakes.expect('one more')
    expect(await wakes.wait('one more', longMs)).to.equal(false)
    const waits = names.map((name) => wakes.wait(name, longMs))
    for (const name of names) expect(take(name), name).to.equal(true)
    expect(await Promise.all(waits)).to.deep.equal(names.map(() => true))
  })
})
