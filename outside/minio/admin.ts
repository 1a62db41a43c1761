/** The calls of MinIO's admin API that svc needs: users and policies. The publisher offers no client for Node. */
import { Sha256 } from '@smithy/core/checksum'
import { SignatureV4 } from '@smithy/signature-v4'
import { type Dispatcher, request } from 'undici'
import { z } from 'zod'
import { parsedBy } from '../../contract/json/parsed-by.ts'
import { UpstreamError } from '../upstream-error.ts'
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
  const json = async <T>(shape: z.ZodType<T>, path: string, query: Record<string, string>): Promise<T> => {
    const answer = parsedBy(shape, (await call('GET', path, query)).toString('utf8'))
    if (answer === undefined) throw new UpstreamError(0, '', 'MinIO does not answer: what does is not MinIO', true)
    return answer
  }
  return {
    readUser: (accessKey) =>
      unlessRefused(noUser, async () => toUser(await json(userShape, 'user-info', { accessKey }))),
    async putUser(accessKey, secretKey) {
      const body = await encrypted(access.secretKey, Buffer.from(JSON.stringify({ secretKey, status: 'enabled' })))
      await call('PUT', 'add-user', { accessKey }, body)
    },
    async setPolicy(accessKey, policy) {
      await call('PUT', 'set-user-or-group-policy', { policyName: policy, userOrGroup: accessKey, isGroup: 'false' })
    },
    removeUser: async (accessKey) =>
      void (await unlessRefused(noUser, () => call('DELETE', 'remove-user', { accessKey }))),
    readPolicy: (name) => unlessRefused(noPolicy, () => json(z.unknown(), 'info-canned-policy', { name })),
    async putPolicy(name, document) {
      await call('PUT', 'add-canned-policy', { name }, Buffer.from(JSON.stringify(document)))
    },
    removePolicy: async (name) =>
      void (await unlessRefused(noPolicy, () => call('DELETE', 'remove-canned-policy', { name }))),
  }
}

const userShape = z.object({ status: z.string().default(''), policyName: z.string().default('') })

function toUser({ status, policyName }: z.output<typeof userShape>): MinioUser {
  return { enabled: status === 'enabled', policies: policyName.split(',').filter((name) => name !== '') }
}

const errorShape = z.object({ Code: z.string().optional(), Message: z.string().optional() })

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
    // Errors are JSON; any other body is from a proxy in between.
    const { Code: code = '', Message: message = '' } = parsedBy(errorShape, text.toString('utf8')) ?? {}
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
