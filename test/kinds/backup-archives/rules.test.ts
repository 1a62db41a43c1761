/** What the run of a backup says: how it was asked for, and by whom. */
import { expect } from 'chai'
import { archiveRules } from '../../../kinds/backup-archives/rules.ts'
import { backupArchiveSpec, type BackupArchiveSpec } from '../../../kinds/backup-archives/kind.ts'
import { annotations } from '../../../kinds/meta/annotations.ts'
import { apiVersion, systemNamespace } from '../../../kinds/meta/group.ts'
import { resourceTypes } from '../../../kinds/meta/resource-types.ts'
import { provisionPlan } from '../../../kinds/provision/plan.ts'

describe('the run of a backup', () => {
  const spec = (trigger: BackupArchiveSpec['trigger']) =>
    backupArchiveSpec.parse({
      ...{ project: 'proj-0123abcd', environment: 'production', database: 'orders', engine: 'postgres' },
      ...{ connectionRef: { name: 'media' }, bucket: 'media', trigger },
    })
  const asks = (trigger: BackupArchiveSpec['trigger'], askedBy?: string) => {
    const metadata = {
      name: 'orders-20261128-112257',
      namespace: systemNamespace,
      ...(askedBy === undefined ? {} : { annotations: { [annotations.askedBy]: askedBy } }),
    }
    const { kind } = resourceTypes.backupArchive
    const { operation, actor } = provisionPlan(archiveRules, metadata.name, {
      ...{ apiVersion, kind, metadata, spec: spec(trigger) },
    })
    return `${operation} by ${actor}`
  }

  it('has the user or the token that asked for it', () => {
    expect(asks('Manual', 'ada')).to.equal('deploy by ada')
    expect(asks('Deletion', 'token:t8ue8b4n3nxg')).to.equal('deploy by token:t8ue8b4n3nxg')
  })

  it('is one of svc itself where its time, a deletion or a new version asked for it', () => {
    for (const trigger of ['Schedule', 'Deletion', 'Upgrade'] as const) expect(asks(trigger)).to.equal('deploy by ')
  })

  it('is one of kubectl where nothing says who asked, or what no run takes', () => {
    expect(asks('Manual')).to.equal('kubectl by kubectl')
    expect(asks('Manual', 'a'.repeat(2000))).to.equal('kubectl by kubectl')
  })
})
