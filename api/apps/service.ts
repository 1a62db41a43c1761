/** Creates, changes and deletes services. */
import type { Caller } from '../../contract/caller.ts'
import { Problem, refusals, refuse } from '../../contract/problem.ts'
import type { App, AppSpec } from '../../kinds/apps/kind.ts'
import { pendingWords } from '../../kinds/apps/deploy/pending-words.ts'
import { refuseWithVolume } from '../../kinds/apps/spec/volume.ts'
import { nameAtGitHost, placeOf } from '../../kinds/builds/repository.ts'
import { askDeletion } from '../../records/apps/ask-deletion.ts'
import { createDeployed } from '../../records/apps/create-deployed.ts'
import { createDraft, newSpec } from '../../records/apps/create-draft.ts'
import { editSpec } from '../../records/apps/edit-app.ts'
import { type Judge, saveAndDeploy, saveDisplayName, saveSettings } from '../../records/apps/save-settings.ts'
import { makeNamed } from '../../records/place/place.ts'
import type { Handler } from '../context/handler.ts'
import { askedBy, deletionBy, wakeAccepted } from '../context/wakes.ts'
import type { Needs } from '../context/needs.ts'
import { wakeApp, onApp } from './service-of-call.ts'
import { defined } from '../../contract/defined.ts'

/** `POST /apps`: a draft, or a service that is deployed at once; without capacity nothing is saved. */
export const create =
  (needs: Needs): Handler<'apps.create'> =>
  async (call) => {
    const { name: wanted, draft: _, deploy, ...fields } = call.params
    const onAccepted = wakeAccepted(needs, 'created and deployed', askedBy(call))
    const { metadata } = await makeNamed(needs.writes, 'app', fields, wanted, (candidate) => {
      const spec = newSpec(fields)
      return deploy === true
        ? createDeployed(needs.writes, candidate, spec, { ...askedBy(call), onAccepted })
        : createDraft(needs.writes, candidate, spec)
    })
    const { name } = metadata
    return { ok: true, name, kind: 'apps', ...(deploy === true ? { deployed: true } : {}) }
  }

/**
 * `PATCH /apps/{name}`: live settings apply at once, the others wait for a deploy, which `deploy` accepts in the same
 * write.
 */
export const update =
  (needs: Needs): Handler<'apps.update'> =>
  async (call) => {
    const { app: name, deploy, ...settings } = call.params
    const judge = await judgeOf(needs, call.caller, settings.repository)
    if (deploy === true) {
      const request = {
        ...askedBy(call),
        title: 'Changed settings',
        onAccepted: wakeAccepted(needs, 'deploy with changed settings', askedBy(call)),
        ...defined({ ifMatch: call.ifMatch }),
      }
      const deployed = await onApp(needs, call, (app, writes) =>
        saveAndDeploy({ ...writes, judge }, app, settings, request),
      )
      return { ok: true, ...pendingWords(deployed), deployed: true }
    }
    const saved = await onApp(needs, call, (_app, writes) =>
      saveSettings({ ...writes, judge }, name, settings, call.ifMatch, askedBy(call).actor),
    )
    if (saved.spec.deploy.enabled) wakeApp(needs, name, 'settings changed', call)
    return { ok: true, ...pendingWords(saved) }
  }

/**
 * Which repository a project token may not choose (docs/reference/builds.md#repositories). With a login in the service,
 * only the repository that the login was given for: the login may be valid for more, and would be sent to another
 * server. Without one, no other repository at the git host to which the environment is connected: its installation may
 * have access to all repositories of the owner.
 */
async function judgeOf(needs: Needs, caller: Caller, wanted: string | undefined): Promise<Judge> {
  if (caller.role !== 'project' || wanted === undefined) return () => undefined
  const { web } = needs.gitHost
  const links = (await needs.records.projects.readLive(caller.project ?? ''))?.spec.gitHosts ?? []
  const isConnected = links.some(({ environment }) => environment === caller.environment)
  const nameOf = (repository: string) => nameAtGitHost(repository, web)?.toLowerCase()
  return ({ source: { git: before } }, { source: { git: after } }) => {
    if (before === undefined || after === undefined || before.repository === after.repository) return
    const hasLogin = (after.connectionRef?.name ?? '') !== ''
    if (hasLogin && placeOf(before.repository, web) !== placeOf(after.repository, web))
      throw new Problem(
        'forbidden',
        'the repository is read with a login: another one can be chosen by an admin only, not with a project token',
      )
    const name = nameOf(after.repository)
    if (!hasLogin && isConnected && name !== undefined && name !== nameOf(before.repository))
      throw new Problem(
        'forbidden',
        'the environment is connected to the git host: another repository there can be chosen by an admin only, not with a project token',
      )
  }
}

/** `DELETE /apps/{name}`: deletes the record; the service's workflow removes its objects. */
export const deleteApp =
  (needs: Needs): Handler<'apps.delete'> =>
  async (call) => {
    await onApp(needs, call, (app, writes) =>
      askDeletion(writes, app, call.params.confirmName, deletionBy(needs, call)),
    )
    wakeApp(needs, call.params.app, 'deletion requested', call)
    return { ok: true }
  }

/** `POST /apps/{name}/scale`: the number of copies, effective at once. */
export const scale =
  (needs: Needs): Handler<'apps.scale'> =>
  async (call) => {
    const { app: name, replicas } = call.params
    const scaled = ({ spec }: App): AppSpec => {
      if (spec.autoscaling !== undefined)
        throw refuse('autoscaling sets the number of copies; turn it off to scale by hand')
      refuseWithVolume({ ...spec, replicas })
      return { ...spec, replicas }
    }
    const { actor } = askedBy(call)
    await onApp(needs, call, (_app, writes) => editSpec(writes, name, scaled, call.ifMatch, actor))
    wakeApp(needs, name, `scaled to ${replicas}`, call)
    return { ok: true }
  }

/** `POST /api/apps/{app}/networking/delete`: clears host and TLS; live, so it applies at once. */
export const networkingDelete =
  (needs: Needs): Handler<'apps.networking-delete'> =>
  async (call) => {
    const { app: name, confirmName } = call.params
    const cleared = ({ spec }: App): AppSpec => ({
      ...spec,
      ingress: { ...spec.ingress, host: '', tlsEnabled: false, dnsVerification: false, rules: [] },
    })
    await onApp(needs, call, (_app, writes) => {
      if (confirmName !== name) throw refuse(refusals.confirmation)
      return editSpec(writes, name, cleared, call.ifMatch, askedBy(call).actor)
    })
    wakeApp(needs, name, 'host removed', call)
    return { ok: true }
  }

/** `POST /api/apps/{app}/display-name`: sets the display name; an empty one removes it. */
export const displayName =
  (needs: Needs): Handler<'apps.display-name'> =>
  async (call) => {
    await onApp(needs, call, (_app, writes) =>
      saveDisplayName(writes, call.params.app, call.params.displayName, call.ifMatch),
    )
    return { ok: true }
  }
