/** Why a delivery failed: without the body of the answer, and without addresses that the caller did not give. */
import { errorCode, isCertificateError } from '../upstream-error.ts'
import { AddressRefused } from '../guard.ts'

/** An answer without success (Standard Webhooks: 2xx is success). */
export function refusedWith(status: number): string {
  return status >= 300 && status < 400
    ? `the receiver answered ${status}, and redirects are not followed`
    : `the receiver answered ${status}`
}

const words: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name of the host could not be resolved',
  EAI_AGAIN: 'the name of the host could not be resolved',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed before an answer came',
  EPIPE: 'the connection was closed before an answer came',
  EHOSTUNREACH: 'the host could not be reached',
  ENETUNREACH: 'the host could not be reached',
  ETIMEDOUT: 'the host could not be reached',
  EPROTO: 'no secure connection could be made',
}

/** @param withinMs the limit of the whole delivery */
export function failureOf(error: unknown, withinMs: number): string {
  if (error instanceof AddressRefused) return error.message
  if (!(error instanceof Error)) return 'it could not be sent'
  if (error.name === 'AbortError' || error.name === 'TimeoutError') return `no answer within ${withinMs / 1000} s`
  const code = errorCode(error) ?? ''
  if (code.startsWith('HPE_')) return 'the answer is not HTTP, or its head is too large'
  if (isCertificateError(code)) return `the certificate of the host is not valid (${code})`
  return words[code] ?? 'it could not be sent'
}
