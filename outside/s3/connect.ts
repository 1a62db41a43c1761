/** A client of the S3 API with short limits: whoever calls looks again by itself, so nothing is tried for long here. */

import { S3Client } from '@aws-sdk/client-s3'
import { ServerAway, troubleOf } from '../server-trouble.ts'

export interface S3Access {
  /** `http(s)://host:port` of a server that is not AWS; paths then carry the bucket. */
  endpoint?: string
  region: string
  accessKey: string
  secretKey: string
}

const connectWithinMs = 3_000
const answerWithinMs = 10_000

/** End it with `destroy()`: it keeps connections. */
export function connectS3({ endpoint, region, accessKey, secretKey }: S3Access): S3Client {
  return new S3Client({
    region,
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    maxAttempts: 1,
    requestHandler: { connectionTimeout: connectWithinMs, requestTimeout: answerWithinMs, throwOnRequestTimeout: true },
    // Checksums that the API does not ask for are unknown to some servers.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  })
}

/** The SDK's errors as ServerAway, LoginRefused or CallRefused. */
export async function asTrouble<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Error)) throw error
    const status = '$metadata' in error ? (error.$metadata as { httpStatusCode?: number }).httpStatusCode : undefined // the SDK's own shape
    if (status === undefined || error.name === 'TimeoutError') throw new ServerAway('code' in error ? String(error.code) : error.name, { cause: error })
    throw troubleOf(status, error.name, error.message)
  }
}
