/** The calls of MinIO's admin API that svc needs: users and policies. The publisher offers no client for Node. */
import { Sha256 } from '@smithy/core/checksum'
import { SignatureV4 } from '@smithy/signature-v4'
import { type Dispatcher, request } from 'undici'
import { encrypted } from './encrypted.ts'
import { type MinioLogin, minioRegion } from './s3.ts'
import { upstreamErrorOf, noAnswer, unlessRefused } from './upstream-error.ts'
import { defined } from '../../contract/defined.ts'

export interface MinioUser {
  enabled: boolean
  /** Names, unordered. */
  policies: string[]
}

/** Every call throws UpstreamError; all of them may be repeated. */
export interface MinioAdmin {
  /** Undefined when there is no such user. */
  readUser(accessKey: string): Promise<MinioUser | undefined>
  /** Creates the user, or sets the secret of an existing user and enables it. */
  putUser(accessKey: string, secretKey: string): Promise<void>
  /** Replaces the user's policies with this one. */
  setPolicy(accessKey: string, policy: string): Promise<void>
  /** Removes the user with its service accounts and sessions; an absent user is no error. */
  removeUser(accessKey: string): Promise<void>
  /** The document of the policy; undefined when there is no such policy. */
  readPolicy(name: string): Promise<unknown>
  putPolicy(name: string, document: object): Promise<void>
  /** An absent policy is no error. */
  removePolicy(name: string): Promise<void>
}

const answerWithinMs = 10_000
const basePath = '/minio/admin/v3/'
const noUser = ['XMinioAdminNoSuchUser']
const noPolicy = ['XMinioAdminNoSuchPolicy']

export function connectMinioAdmin(access: MinioLogin): MinioAdmin {
  const call = createCall(access)
  const json = async (path: string, query: Record<string, string>): Promise<unknown> =>
    JSON.parse((await call('GET', path, query)).toString('utf8'))
  return {
    readUser: (accessKey) => unlessRefused(noUser, async () => toUser(await json('user-info', { accessKey }))),
    async putUser(accessKey, secretKey) {
      const body = await encrypted(access.secretKey, Buffer.from(JSON.stringify({ secretKey, status: 'enabled' })))
      await call('PUT', 'add-user', { accessKey }, body)
    },
    async setPolicy(accessKey, policy) {
      await call('PUT', 'set-user-or-group-policy', { policyName: policy, userOrGroup: accessKey, isGroup: 'false' })
    },
    removeUser: async (accessKey) =>
      void (await unlessRefused(noUser, () => call('DELETE', 'remove-user', { accessKey }))),
    readPolicy: (name) => unlessRefused(noPolicy, () => json('info-canned-policy', { name })),
    async putPolicy(name, document) {
      await call('PUT', 'add-canned-policy', { name }, Buffer.from(JSON.stringify(document)))
    },
    removePolicy: async (name) =>
      void (await unlessRefused(noPolicy, () => call('DELETE', 'remove-canned-policy', { name }))),
  }
}

function toUser(answer: unknown): MinioUser {
  const { status = '', policyName = '' } = answer as { status?: string; policyName?: string } // MinIO's own shape
  return { enabled: status === 'enabled', policies: policyName.split(',').filter((name) => name !== '') }
}

type Call = (
  method: 'GET' | 'PUT' | 'DELETE',
  path: string,
  query: Record<string, string>,
  body?: Buffer,
) => Promise<Buffer>

function createCall({ endpoint, accessKey, secretKey }: MinioLogin): Call {
  const signer = new SignatureV4({
    service: 's3',
    region: minioRegion,
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    sha256: Sha256,
    uriEscapePath: false,
  })
  const base = new URL(endpoint)
  return async (method, path, query, body) => {
    const target = new URL(basePath + path, base)
    target.search = new URLSearchParams(query).toString()
    const wanted = {
      method,
      protocol: base.protocol,
      hostname: base.hostname,
      path: target.pathname,
      query,
      headers: { host: base.host },
      ...defined({ body }),
    }
    const { headers } = await signer.sign(wanted)
    const answer = await send(target, { method, headers, body: body ?? null })
    const text = Buffer.from(await answer.body.arrayBuffer())
    if (answer.statusCode < 300) return text
    const { Code: code = '', Message: message = '' } = readError(text)
    throw upstreamErrorOf(answer.statusCode, code, message, secretKey)
  }
}

async function send(
  target: URL,
  options: Pick<Dispatcher.RequestOptions, 'method' | 'body'> & { headers: Record<string, string> },
) {
  try {
    return await request(target, {
      ...options,
      headersTimeout: answerWithinMs,
      bodyTimeout: answerWithinMs,
      signal: AbortSignal.timeout(answerWithinMs),
    })
  } catch (error) {
    throw noAnswer(error)
  }
}

/** The admin API answers errors as JSON; any other body is from a proxy in between. */
function readError(text: Buffer): { Code?: string; Message?: string } {
  try {
    return JSON.parse(text.toString('utf8')) as { Code?: string; Message?: string } // MinIO's own shape
  } catch {
    return {}
  }
}
