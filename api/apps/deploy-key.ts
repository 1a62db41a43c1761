/** The key with which svc reads the repository of a service over ssh: show its public half, make it, delete it. */
import { refuse } from '../../contract/problem.ts'
import { readDeployKey, removeDeployKey, rotateDeployKey } from '../../records/secrets/deploy-key.ts'
import { keyFingerprint, knownHosts } from '../../records/secrets/fingerprints.ts'
import type { Handler } from '../context/handler.ts'
import type { Needs } from '../context/needs.ts'
import { appOf, liveAppOf } from './service-of-call.ts'

/** `GET /api/apps/{app}/deploy-key`. */
export const deployKey =
  (needs: Needs): Handler<'apps.deploy-key'> =>
  async (call) => {
    const key = await readDeployKey(needs.client, await appOf(needs, call))
    if (key === undefined) return { configured: false, hosts: [] }
    const { publicKey, hosts } = key
    return { configured: true, publicKey, fingerprint: keyFingerprint(publicKey), hosts: knownHosts(hosts) }
  }

/** `POST /api/apps/{app}/deploy-key/rotate`: replaces the key and clears the known host keys. */
export const deployKeyRotate =
  (needs: Needs): Handler<'apps.deploy-key-rotate'> =>
  async (call) => {
    const app = await liveAppOf(needs, call)
    if (app.spec.source.git === undefined) throw refuse('only a service that is built from git has a deploy key')
    const { publicKey } = await rotateDeployKey(needs.client, app)
    return { ok: true, publicKey, fingerprint: keyFingerprint(publicKey) }
  }

/** `POST /api/apps/{app}/deploy-key/delete`: a running build keeps the key that it got. */
export const deployKeyDelete =
  (needs: Needs): Handler<'apps.deploy-key-delete'> =>
  async (call) => {
    if (!(await removeDeployKey(needs.client, await liveAppOf(needs, call))))
      throw refuse('the service has no deploy key')
    return { ok: true }
  }
