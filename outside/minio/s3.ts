/** MinIO's S3 API with short limits: the callers retry by themselves, so calls fail fast here. */
import { S3Client } from '@aws-sdk/client-s3'
import { upstreamErrorOf, noAnswer } from './upstream-error.ts'

export interface MinioLogin {
  /** `http://host:port`. */
  endpoint: string
  accessKey: string
  secretKey: string
}

export interface MinioS3 {
  /** Throws UpstreamError. */
  ask<T>(work: (client: S3Client) => Promise<T>): Promise<T>
  /** Closes its connections, which are kept alive until then. */
  end(): void
}

const connectWithinMs = 3_000
const answerWithinMs = 10_000
/** MinIO's own region unless its settings name another. */
export const minioRegion = 'us-east-1'

export function connectS3({ endpoint, accessKey, secretKey }: MinioLogin): MinioS3 {
  const client = new S3Client({
    endpoint,
    region: minioRegion,
    credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
    forcePathStyle: true,
    maxAttempts: 1,
    requestHandler: { connectionTimeout: connectWithinMs, requestTimeout: answerWithinMs, throwOnRequestTimeout: true },
  })
  return {
    async ask(work) {
      try {
        return await work(client)
      } catch (error) {
        const {
          name = '',
          message = '',
          $metadata,
          // The shape of the SDK's errors.
        } = error as { name?: string; message?: string; $metadata?: { httpStatusCode?: number } }
        const status = $metadata?.httpStatusCode
        throw status === undefined ? noAnswer(error) : upstreamErrorOf(status, name, message, secretKey)
      }
    },
    end: () => client.destroy(),
  }
}
