/** The calls of the Kubernetes API in HTTP: methods, paths, media types. */
import type {
  ApplyOptions,
  CallOptions,
  ClusterClient,
  DeleteOptions,
  PatchOptions,
  RawOptions,
  Ref,
} from '../objects/cluster-client.ts'
import { ClusterError, isConflict, isInvalid, isNotFound } from '../objects/errors.ts'
import { listAll } from './list-all.ts'
import type { KubeObject } from '../objects/object.ts'
import { creationPath, objectPath } from '../objects/paths.ts'
import { apiVersionOf, withKind, type ResourceType } from '../objects/resource-type.ts'
import type { Call, Transport } from './transport.ts'
import { openWatch } from './watch-events.ts'

const mergePatchType = 'application/merge-patch+json'
/** The media type is YAML, which includes JSON; a plain JSON variant exists only for CBOR. */
const applyPatchType = 'application/apply-patch+yaml'

function deleteOptions({ uid, resourceVersion, propagation, gracePeriodSeconds }: DeleteOptions): object {
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    gracePeriodSeconds,
    propagationPolicy: propagation,
    preconditions: uid === undefined && resourceVersion === undefined ? undefined : { uid, resourceVersion },
  }
}

export function createClient(transport: Transport): ClusterClient {
  /** The JSON of the API server is not validated: T is the caller's statement about the type. */
  async function sendObject<T extends KubeObject>(type: ResourceType, call: Call): Promise<T> {
    return withKind(type, JSON.parse(await transport.send(call)) as T)
  }

  async function get<T extends KubeObject>(ref: Ref, options: CallOptions = {}): Promise<T | undefined> {
    try {
      return await sendObject<T>(ref.type, { ...options, ...refCall('get', 'GET', ref) })
    } catch (error) {
      if (isNotFound(error)) return undefined
      throw error
    }
  }

  async function patch<T extends KubeObject>(ref: Ref, mergePatch: object, options: PatchOptions = {}): Promise<T> {
    const { subresource, ...rest } = options
    try {
      return await sendObject<T>(ref.type, {
        ...rest,
        ...refCall('patch', 'PATCH', ref, subresource),
        body: mergePatch,
        contentType: mergePatchType,
      })
    } catch (error) {
      // The API server reports another uid as an invalid change of an immutable field; for the caller it is a lost
      // race.
      const uid = uidIn(mergePatch)
      if (uid === undefined || !isInvalid(error)) throw error
      const there = await get(ref, rest)
      if (there === undefined || there.metadata.uid === uid) throw error
      throw new ClusterError(409, 'Conflict', `${ref.type.plural} "${ref.name}" is another object by now`, {
        cause: error,
      })
    }
  }

  async function remove(ref: Ref, options: DeleteOptions = {}): Promise<boolean> {
    const { uid, resourceVersion: _version, propagation: _propagation, gracePeriodSeconds: _grace, ...rest } = options
    const body = deleteOptions(options)
    try {
      await transport.send({ ...rest, ...refCall('delete', 'DELETE', ref), body })
      return true
    } catch (error) {
      if (isNotFound(error)) return false
      if (uid === undefined || !isConflict(error)) throw error
      const there = await get(ref, rest)
      if (there?.metadata.uid === uid) throw error
      return false
    }
  }

  return {
    get,
    list: (type, query) => listAll(transport, type, query ?? {}),
    create: (type, object, options = {}) =>
      sendObject(type, {
        ...options,
        ...collectionCall('create', 'POST', type),
        path: creationPath(type, object.metadata.namespace),
        body: object,
      }),
    replace: (type, object, options = {}) =>
      sendObject(type, { ...options, ...refCall('update', 'PUT', refOf(type, object)), body: object }),
    patch,
    apply: (type, object, { manager, force, ...options }: ApplyOptions) => {
      // Only the name is read here; the server checks the rest.
      const body = { apiVersion: apiVersionOf(type), kind: type.kind, ...object } as KubeObject
      return sendObject(type, {
        ...options,
        ...refCall('apply', 'PATCH', refOf(type, body)),
        body,
        contentType: applyPatchType,
        query: { fieldManager: manager, force },
      })
    },
    delete: remove,
    watch: (type, query) => openWatch(transport, type, query),
    raw: (method, path, options: RawOptions = {}) =>
      transport.send({ ...options, method, path, verb: method.toLowerCase(), resource: 'raw' }),
    stream: (path, { silenceMs, ...options }) =>
      transport.open({ ...options, method: 'GET', path, verb: 'stream', resource: 'raw' }, silenceMs),
    frames: (path, { protocol, ...options }) =>
      transport.upgrade({ ...options, method: 'GET', path, verb: 'connect', resource: 'raw' }, protocol),
  }
}

function refOf(type: ResourceType, object: KubeObject): Ref {
  const { name, namespace } = object.metadata
  return namespace === undefined ? { type, name } : { type, name, namespace }
}

function refCall(verb: string, method: Call['method'], ref: Ref, subresource?: string) {
  return { verb, method, resource: ref.type.plural, path: objectPath(ref.type, ref.namespace, ref.name, subresource) }
}

function collectionCall(verb: string, method: Call['method'], type: ResourceType) {
  return { verb, method, resource: type.plural }
}

function uidIn(mergePatch: object): unknown {
  const metadata: unknown = 'metadata' in mergePatch ? mergePatch.metadata : undefined
  return typeof metadata === 'object' && metadata !== null && 'uid' in metadata ? metadata.uid : undefined
}
