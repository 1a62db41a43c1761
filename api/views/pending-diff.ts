/** The pending changes of a service, database or bucket for admins, who may see whole specs. */
import type { View } from '../../contract/operations.ts'
import { appDraft } from '../../kinds/apps/spec/draft.ts'
import type { App } from '../../kinds/apps/kind.ts'
import { appSummary } from '../../kinds/apps/summary.ts'
import { viewOf } from '../../kinds/apps/view.ts'
import { databaseDraft } from '../../kinds/databases/draft.ts'
import type { Database } from '../../kinds/databases/kind.ts'
import { databaseSummary } from '../../kinds/databases/summary.ts'
import { annotations } from '../../kinds/meta/annotations.ts'
import { storeDraft } from '../../kinds/object-stores/draft.ts'
import type { ObjectStore } from '../../kinds/object-stores/kind.ts'
import { objectStoreSummary } from '../../kinds/object-stores/summary.ts'
import { draftOf } from '../../kinds/provision/draft.ts'
import { fieldChanges, type FieldChange } from '../../kinds/provision/pending-diff.ts'

type PendingDiff = View<'apps.pending'>
type Summary = View<'apps.list'>['items'][number]

export function pendingOfApp(app: App): PendingDiff {
  const secretsChanged = app.metadata.annotations?.[annotations.secretEdit] !== undefined
  const view = viewOf(app)
  return {
    ...shown(app, appSummary(app, true), view.pendingChanges, fieldChanges(appDraft, view, app.spec)),
    secretsChanged,
  }
}

export function pendingOfDatabase(database: Database): PendingDiff {
  const draft = draftOf(databaseDraft, database)
  return shown(
    database,
    databaseSummary(database, true),
    draft.pendingChanges,
    fieldChanges(databaseDraft, draft, database.spec),
  )
}

export function pendingOfStore(store: ObjectStore): PendingDiff {
  const draft = draftOf(storeDraft, store)
  return shown(
    store,
    objectStoreSummary(store, true),
    draft.pendingChanges,
    fieldChanges(storeDraft, draft, store.spec),
  )
}

function shown(
  { metadata }: { metadata: { resourceVersion?: string } },
  { kind, name, displayName, state }: Summary,
  pending: PendingDiff['pending'],
  changes: FieldChange[],
): PendingDiff {
  return {
    kind,
    name,
    displayName,
    state,
    pending,
    changes,
    secretsChanged: false,
    version: metadata.resourceVersion ?? '',
  }
}
