/** The changes from the records that a zone has to those that it must have. */
import { expect } from 'chai'
import { type FoundRecord, isOurs, planRecords, wantedRecords } from '../../../kinds/platform/dns-records.ts'

const install = '6f9d2c1e-0000-4000-8000-000000000001'
const owner = '6f9d2c1e-0000-4000-8000-000000000002'
const hosts = [{ host: 'web.example.com', owner }]
const stored = (wanted: ReturnType<typeof wantedRecords>): FoundRecord[] =>
  wanted.map((record, at) => ({ ...record, id: `r${at}` }))

describe('the records of a zone', () => {
  it('are one per host and address, of the type of the address, and none is proxied', () => {
    const records = wantedRecords(hosts, { addresses: ['2001:db8::1', '192.0.2.1', '192.0.2.1'] }, install)
    expect(records.map(({ type, content, proxied }) => [type, content, proxied])).to.deep.equal([
      ['A', '192.0.2.1', false],
      ['AAAA', '2001:db8::1', false],
    ])
  })

  it('are one alias per host where everything leads to another name', () => {
    const records = wantedRecords(hosts, { name: 'id.cfargotunnel.com', proxied: true }, install)
    expect(records).to.deep.equal([
      {
        type: 'CNAME',
        name: 'web.example.com',
        content: 'id.cfargotunnel.com',
        proxied: true,
        comment: `svc ${install} ${owner}`,
      },
    ])
  })

  it('carry a comment that names their install, and that every plan of the provider accepts', () => {
    const [record] = wantedRecords(hosts, { addresses: ['192.0.2.1'] }, install)
    expect(record?.comment).to.have.length.below(101)
    expect(isOurs(record ?? {}, install)).to.equal(true)
    expect(isOurs(record ?? {}, install.replace('1', '2'))).to.equal(false)
    expect(isOurs({ comment: null }, install)).to.equal(false)
  })

  it('of a host that two ask for belong to the first', () => {
    const records = wantedRecords(
      [...hosts, { host: 'web.example.com', owner: 'another' }],
      { addresses: ['192.0.2.1'] },
      install,
    )
    expect(records.map(({ comment }) => comment)).to.deep.equal([`svc ${install} ${owner}`])
  })

  it('need nothing when they are as wanted', () => {
    const wanted = wantedRecords(hosts, { addresses: ['192.0.2.1', '192.0.2.2'] }, install)
    expect(planRecords(stored(wanted), wanted)).to.deep.equal({ remove: [], update: [], create: [] })
  })

  it('follow a new address by one update', () => {
    const before = stored(wantedRecords(hosts, { addresses: ['192.0.2.1', '192.0.2.2'] }, install))
    const wanted = wantedRecords(hosts, { addresses: ['192.0.2.2', '192.0.2.3'] }, install)
    const plan = planRecords(before, wanted)
    expect(plan.update.map(({ id, record }) => [id, record.content])).to.deep.equal([['r0', '192.0.2.3']])
    expect([plan.create, plan.remove]).to.deep.equal([[], []])
  })

  it('lose the second of two that a lost answer made', () => {
    const wanted = wantedRecords(hosts, { addresses: ['192.0.2.1'] }, install)
    const [once] = stored(wanted)
    if (once === undefined) throw new Error('nothing is wanted')
    expect(planRecords([once, { ...once, id: 'again' }], wanted)).to.deep.equal({
      remove: [{ ...once, id: 'again' }],
      update: [],
      create: [],
    })
  })

  it('give way where an alias takes the place of addresses', () => {
    const before = stored(wantedRecords(hosts, { addresses: ['192.0.2.1'] }, install))
    const plan = planRecords(before, wantedRecords(hosts, { name: 'id.cfargotunnel.com', proxied: true }, install))
    expect([plan.remove.length, plan.update.length, plan.create.length]).to.deep.equal([1, 0, 1])
  })
})
