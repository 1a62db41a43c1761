/** The calls that svc makes to a Kubernetes API server. */
import type { FrameStream } from '../../contract/views/terminal-frames.ts'
import type { KubeObject } from './object.ts'
import type { Query } from './paths.ts'
import type { ResourceType } from './resource-type.ts'

export interface Ref {
  type: ResourceType
  namespace?: string
  name: string
}

/** Time limit 15 s unless given; an abort rejects with the signal's reason. */
export interface CallOptions {
  signal?: AbortSignal
  timeoutMs?: number
}

export interface Selection {
  /** All namespaces when left out. */
  namespace?: string
  labelSelector?: string
  fieldSelector?: string
  /** The API server sends only apiVersion, kind and metadata. */
  metadataOnly?: boolean
}

export interface ListQuery extends Selection, CallOptions {
  /** At most so many items; else all of them, read in pages of 500. */
  limit?: number
}

export interface WatchQuery extends Selection {
  resourceVersion: string
  timeoutSeconds: number
  /** The watch ends with ClusterError `Silent` after so long without a byte. */
  silenceMs: number
  signal?: AbortSignal
}

export interface WatchEvent<T> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  object: T
}

export interface RawOptions extends CallOptions {
  query?: Query
  body?: unknown
  contentType?: string
  accept?: string
}

export interface PatchOptions extends CallOptions {
  subresource?: 'status' | 'scale'
}

export interface ApplyOptions extends CallOptions {
  manager: string
  /** Takes over fields that another manager owns; without it, such a field is a conflict. */
  force?: boolean
}

export interface DeleteOptions extends CallOptions {
  /** Deletes only the object with this uid; when its name belongs to another object, the result is false. */
  uid?: string
  resourceVersion?: string
  propagation?: 'Background' | 'Foreground' | 'Orphan'
  gracePeriodSeconds?: number
}

/** Every method throws ClusterError when the server refuses or does not answer. */
export interface ClusterClient {
  /** undefined when there is no such object (or no such type). */
  get<T extends KubeObject>(ref: Ref, options?: CallOptions): Promise<T | undefined>
  list<T extends KubeObject>(type: ResourceType, query?: ListQuery): Promise<{ items: T[]; resourceVersion: string }>
  create<T extends KubeObject>(type: ResourceType, object: T, options?: CallOptions): Promise<T>
  /** Conditional when metadata.resourceVersion is set: isConflict. */
  replace<T extends KubeObject>(type: ResourceType, object: T, options?: CallOptions): Promise<T>
  /** JSON merge patch; metadata.resourceVersion or uid in the patch makes it conditional: isConflict. */
  patch<T extends KubeObject>(ref: Ref, mergePatch: object, options?: PatchOptions): Promise<T>
  /**
   * Server-side apply; fills in apiVersion and kind. Without `force` a field owned by another manager is isConflict.
   */
  apply<T extends KubeObject>(type: ResourceType, object: object, options: ApplyOptions): Promise<T>
  /** false when the object did not exist; true also when finalizers keep it for a while. */
  delete(ref: Ref, options?: DeleteOptions): Promise<boolean>
  /**
   * Resolves when the watch is open; then yields the events of each chunk, until the API server ends the watch or it
   * throws.
   */
  watch<T extends KubeObject>(type: ResourceType, query: WatchQuery): Promise<AsyncIterable<WatchEvent<T>[]>>
  /** Any path; resolves with the answer's text. */
  raw(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, options?: RawOptions): Promise<string>
  /** Any path to GET as a stream; `timeoutMs` limits the wait for its head only, `silenceMs` (0: never) the gaps. */
  stream(path: string, options: RawOptions & { silenceMs: number }): Promise<AsyncIterable<Uint8Array>>
  /**
   * Any path as a WebSocket; `timeoutMs` and `signal` limit the wait until it is open. No message is read before
   * `resume`.
   */
  frames(path: string, options: CallOptions & { query?: Query; protocol: string }): Promise<FrameStream>
}
