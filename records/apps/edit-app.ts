/**
 * All edits of a service's record: refused while it is being deleted, counted as pending or live, and limited in size.
 */
import { Problem, refusals, refuse } from '../../contract/problem.ts'
import { canonical } from '../../kinds/meta/digest.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { appDraft, withSpec } from '../../kinds/apps/spec/draft.ts'
import { draftOf } from '../../kinds/provision/draft.ts'
import { withLiveEditor } from '../../kinds/provision/edited-by.ts'
import type { RecordStore } from '../store/record-store.ts'
import { refuseInvalid } from '../store/refuse-invalid.ts'
import { refuseTooLarge } from '../store/refuse-too-large.ts'

export interface EditNeeds {
  apps: RecordStore<App>
}

/**
 * One conditional write of the spec. After a conflict `change` runs again on the newest record, so edits of different
 * fields merge. Nothing is written when nothing changes. The run that follows says who asked, if `actor` does. Throws
 * Problem not_found, invalid_request.
 */
export async function editSpec(
  needs: EditNeeds,
  name: string,
  change: (app: App) => AppSpec,
  ifMatch?: string,
  actor?: string,
): Promise<App> {
  return editApp(
    needs,
    name,
    (app) => {
      const spec = change(app)
      refuseTooLarge(spec)
      return withLiveEditor((record) => draftOf(appDraft, record).effectiveSpec, app, withSpec(app, spec), actor)
    },
    ifMatch,
  )
}

/** As `editSpec`, for annotations as well. */
export async function editApp(
  needs: EditNeeds,
  name: string,
  change: (app: App) => App,
  ifMatch?: string,
): Promise<App> {
  const saved = await needs.apps
    .edit(
      name,
      (app) => {
        if (app.metadata.deletionTimestamp !== undefined) throw refuse('the service is being deleted')
        const wanted = change(app)
        return canonical([wanted.spec, wanted.metadata]) === canonical([app.spec, app.metadata]) ? undefined : wanted
      },
      ifMatch,
    )
    .catch(refuseInvalid)
  if (saved === undefined) throw new Problem('not_found', refusals.appNotFound)
  return saved
}
