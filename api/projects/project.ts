/** Lists, creates, reads, changes and deletes projects. */
import { canMutate } from '../../contract/caller.ts'
import type { View } from '../../contract/operations.ts'
import { redactedProject } from '../../kinds/projects/redact.ts'
import { projectSummary } from '../../kinds/projects/summary.ts'
import { askProjectDeletion } from '../../records/projects/ask-deletion.ts'
import { createProject } from '../../records/projects/create-project.ts'
import { saveProjectSettings } from '../../records/projects/save-settings.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { askedBy, deletionBy } from '../context/wakes.ts'
import { createKeptView } from '../views/kept-view.ts'
import { withVersion } from '../views/record-version.ts'
import { wakeProject, projectOf } from './project-of-call.ts'

/** `GET /projects`: from the cache; the same view while nothing changed, so that its text is made once. */
export const list = ({ caches }: Needs): Handler<'projects.list'> => {
  const kept = createKeptView<View<'projects.list'>>()
  return async () => {
    const projects = caches.projects.list()
    return kept({ record: projects }, () => ({ items: projects.map(projectSummary) }))
  }
}

/** `POST /projects`: a project with a generated ID and name and the environment `production`. */
export const create =
  (needs: Needs): Handler<'projects.create'> =>
  async (call) => {
    const { name } = (await createProject(needs.writes, call.params.region ?? '')).metadata
    wakeProject(needs, name, 'created', call)
    return { project: name }
  }

/** `GET /projects/{name}`: without the values of variables for callers who may not change it. */
export const get = (needs: Needs): Handler<'projects.get'> => {
  const kept = createKeptView<View<'projects.get'>>()
  return async ({ params, caller }) => {
    const project = await projectOf(needs, params.project)
    const form = canMutate(caller) ? 'whole' : 'redacted'
    return kept({ record: project, form }, () => {
      const spec = form === 'whole' ? project.spec : redactedProject(project.spec)
      const view = { resource: projectSummary(project), spec: { ...spec }, status: { ...project.status } }
      return withVersion(view, project)
    })
  }
}

/** `PATCH /projects/{name}`: name, environments and region. */
export const settingsSave =
  (needs: Needs): Handler<'projects.settings-save'> =>
  async (call) => {
    const { project, ...settings } = call.params
    await saveProjectSettings(needs.writes, project, settings, call.ifMatch, askedBy(call).actor)
    wakeProject(needs, project, 'settings changed', call)
    return { ok: true }
  }

/** `DELETE /projects/{name}`: deletes the record; the project's workflow removes its contents. */
export const settingsDelete =
  (needs: Needs): Handler<'projects.settings-delete'> =>
  async (call) => {
    const { project, confirmName } = call.params
    await askProjectDeletion(needs.writes, project, confirmName, deletionBy(needs, call))
    // The workflow revokes them as well, in case this process dies before.
    await needs.tokens.revokeOfProject(project)
    wakeProject(needs, project, 'deletion requested', call)
    return { ok: true }
  }
