/** What a service is connected to, by its saved settings. */
import { expect } from 'chai'
import { connectionsAmong } from '../../../kinds/apps/connections.ts'
import { type App, appSpec } from '../../../kinds/apps/kind.ts'

const place = { project: 'proj-0000000a', environment: 'production' }
const kinds = new Map([
  ['shop', 'app'],
  ['mail', 'app'],
  ['orders', 'database'],
  ['ledger', 'logical-database'],
  ['uploads', 'object-store'],
])
const reference = (name: string, secret: string) => ({
  name,
  valueFrom: { secretKeyRef: { name: secret, key: 'uri' } },
})
const found = (spec: object) => {
  const app: App = {
    apiVersion: 'svc.svc.dev/v1alpha1',
    kind: 'SvcApp',
    metadata: { name: 'shop' },
    spec: appSpec.parse({ ...place, source: { image: { image: 'svc/hello:1' } }, ...spec }),
  }
  return connectionsAmong(kinds)(app).map(({ kind, name, variables }) => `${kind} ${name}: ${variables.join(', ')}`)
}

describe('the connections of a service', () => {
  it('are those of its variables that refer to a connection Secret, each resource once', () => {
    const env = [
      reference('DATABASE_URL', 'orders-connection'),
      reference('OBJ_ENDPOINT', 'uploads-connection'),
      reference('OBJ_BUCKET', 'uploads-connection'),
      reference('LEDGER_URL', 'ledger-connection'),
      reference('OTHER', 'somebody-elses'),
    ]
    expect(found({ env })).to.deep.equal([
      'database orders: DATABASE_URL',
      'object-store uploads: OBJ_ENDPOINT, OBJ_BUCKET',
      'logical-database ledger: LEDGER_URL',
    ])
  })

  for (const [value, expected] of [
    ['http://mail:8080/send', ['app mail: PEER']],
    ['mail.proj-0000000a-production:8080', ['app mail: PEER']],
    ['postgres://u@orders-rw/db', ['database orders: PEER']],
    ['http://mail http://orders', ['app mail: PEER', 'database orders: PEER']],
    ['mail.proj-0000000b-production:8080', []],
    ['https://mail.example.com', []],
    ['mail', []],
    ['http://shop:8080', []],
  ] as const)
    it(`by a plain value: ${value}`, () => {
      expect(found({ env: [{ name: 'PEER', value }] })).to.deep.equal(expected)
      expect(found({ configData: { PEER: value } })).to.deep.equal(expected)
    })
})
