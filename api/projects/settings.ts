/** Settings for all services of a project: network, required tags, shared variables, and the backup storage. */
import { defined } from '../../contract/defined.ts'
import { refuse } from '../../contract/problem.ts'
import { nodeChoiceOf } from '../../kinds/placement/node-choice.ts'
import { complianceOf, refusalOfMove } from '../../kinds/projects/compliance.ts'
import { moveWarnings } from '../../kinds/projects/placement-warnings.ts'
import { saveBackupStorage } from '../../records/projects/backup-storage.ts'
import { saveNetwork } from '../../records/projects/network.ts'
import { saveRequiredTags } from '../../records/projects/required-tags.ts'
import { deleteSharedVariable, saveSharedVariable } from '../../records/projects/shared-variables.ts'
import { byProject } from '../context/caches.ts'
import type { Handler } from '../context/handler.ts'
import { askedBy } from '../context/wakes.ts'
import type { Needs } from '../context/needs.ts'
import { wakeProject, projectOf } from './project-of-call.ts'

/** `POST /projects/{name}/network`: who may reach the services of a project. */
export const network =
  (needs: Needs): Handler<'projects.network'> =>
  async (call) => {
    const { project, ...wanted } = call.params
    await saveNetwork(needs.writes, project, wanted, call.ifMatch, askedBy(call).actor)
    wakeProject(needs, project, 'network changed', call)
    return { ok: true }
  }

/** `GET /projects/{name}/compliance`: the required tags, and which databases and nodes comply. */
export const compliance =
  (needs: Needs): Handler<'projects.compliance'> =>
  async ({ params }) => {
    const project = await projectOf(needs, params.project)
    const { databases, nodes } = needs.caches
    return complianceOf(project, databases.by(byProject, project.metadata.name), nodes.list())
  }

/**
 * `POST /projects/{name}/compliance`: the required tags of nodes; running services move to such nodes. No wake: the
 * tags change the placement of services, whose workflows the watch wakes.
 */
export const complianceSave =
  (needs: Needs): Handler<'projects.compliance-save'> =>
  async ({ params: { project, requiredTags }, ifMatch }) => {
    const saved = await saveRequiredTags(needs.writes, project, requiredTags, ifMatch)
    return { ok: true, requiredTags: saved.spec.requiredTags }
  }

/**
 * `GET /api/projects/{p}/placement/warnings`: the consequences of these tags and this region, and why they would be
 * refused. Nothing is written.
 */
export const placementWarnings =
  (needs: Needs): Handler<'projects.placement-warnings'> =>
  async ({ params }) => {
    const { metadata, spec } = await projectOf(needs, params.project)
    const [before, after] = [
      nodeChoiceOf({ spec }),
      { region: params.region ?? spec.region, tags: params.requiredTags },
    ]
    const nodes = needs.caches.nodes.list()
    const databases = needs.caches.databases.by(byProject, metadata.name)
    const services = needs.caches.apps
      .by(byProject, metadata.name)
      .filter((app) => app.spec.deploy.enabled)
      .map((app) => ({ name: app.metadata.name, tags: app.spec.runOn.tags }))
    return {
      ...defined({ refused: refusalOfMove(before, after, nodes, databases) }),
      warnings: moveWarnings(before, after, { nodes, services }),
    }
  }

/**
 * `POST /projects/{name}/variables/save`: creates or updates a shared variable; services see it with their next deploy.
 */
export const variablesSave =
  (needs: Needs): Handler<'projects.variables-save'> =>
  async ({ params: { project, name, environment = '', value, secret }, ifMatch }) => {
    await saveSharedVariable(needs.writes, project, { name, environment, value, secret }, ifMatch)
    return { ok: true }
  }

/** `POST /api/projects/{p}/variables/delete`: deletes a shared variable. */
export const variablesDelete =
  (needs: Needs): Handler<'projects.variables-delete'> =>
  async ({ params: { project, name, environment = '' }, ifMatch }) => {
    await deleteSharedVariable(needs.writes, project, { name, environment }, ifMatch)
    return { ok: true }
  }

/** `POST /api/projects/{p}/backup-storage`: sets or clears the bucket for backups. */
export const backupStorage =
  (needs: Needs): Handler<'projects.backup-storage'> =>
  async ({ params: { project, connection, bucket, region = '', remove }, ifMatch }) => {
    if (remove === true) await saveBackupStorage(needs.writes, project, undefined, ifMatch)
    else {
      if (connection === undefined) throw refuse('connection is required')
      if (bucket === undefined) throw refuse('bucket is required')
      await saveBackupStorage(needs.writes, project, { connection, bucket, region }, ifMatch)
    }
    return { ok: true }
  }
