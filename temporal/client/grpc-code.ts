/** The code of an error of Temporal's, which the client wraps. */
import { isGrpcServiceError } from '@temporalio/client'

/** Undefined for an error of anything else. */
export function grpcCodeOf(error: unknown): number | undefined {
  if (isGrpcServiceError(error)) return error.code
  const cause = error instanceof Error ? error.cause : undefined
  return isGrpcServiceError(cause) ? cause.code : undefined
}
