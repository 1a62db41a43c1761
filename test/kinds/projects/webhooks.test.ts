/** Which events a webhook gets, and what a message of backups is. */
import { expect } from 'chai'
import { deployEvents, type WebhookEvent, webhookEvents } from '../../../contract/fields/words.ts'
import { deliveryMessageId, messageOf, subjectOf } from '../../../kinds/projects/notice.ts'
import { isSubscribed, storedEvents } from '../../../kinds/projects/webhooks.ts'

const hook = (events: WebhookEvent[], disabled = false) => ({ id: 'a', url: 'https://x.example/', events, disabled })

describe('a webhook', () => {
  const rows: [string, WebhookEvent[], readonly WebhookEvent[]][] = [
    ['that names no event gets those of deploys alone', [], deployEvents],
    ['that names backup.failed gets that alone', ['backup.failed'], ['backup.failed']],
    ['that names all gets all', [...webhookEvents], webhookEvents],
  ]
  for (const [what, events, expected] of rows)
    it(what, () => {
      expect(webhookEvents.filter((event) => isSubscribed(hook(events), event))).to.deep.equal(expected)
      expect(webhookEvents.filter((event) => isSubscribed(hook(events, true), event))).to.deep.equal([])
    })

  it('stores the three of deploys as none, and keeps them beside backup.failed', () => {
    expect(storedEvents(['deployment.failed', 'deployment.started', 'deployment.succeeded'])).to.deep.equal([])
    expect(storedEvents(['backup.failed'])).to.deep.equal(['backup.failed'])
    expect(storedEvents(webhookEvents)).to.deep.equal(webhookEvents)
  })

  it('gets one message for each time that the backups of a database turn bad', () => {
    const place = { project: 'proj-00000001', environment: 'production' }
    const notice = {
      ...place,
      event: 'backup.failed' as const,
      at: '2026-06-15T12:00:00.000Z',
      database: 'orders',
      error: 'the newest backup failed: no capacity',
    }
    const later = { ...notice, at: '2026-06-16T12:00:00.000Z' }
    expect(JSON.parse(messageOf(notice))).to.deep.equal({
      type: 'backup.failed',
      timestamp: notice.at,
      data: { ...place, database: 'orders', error: notice.error },
    })
    expect(subjectOf(notice)).to.equal(`orders-${Date.parse(notice.at)}`)
    const ids = [deliveryMessageId('a', notice), deliveryMessageId('b', notice), deliveryMessageId('a', later)]
    expect(new Set(ids).size).to.equal(3)
    expect(deliveryMessageId('a', { ...notice, error: 'another sentence' })).to.equal(ids[0])
  })
})
