/**
 * What every answer must be, whatever the request: a status of the table (docs/reference/conventions.md#errors), in the
 * shape of its surface.
 */
import { expect } from 'chai'
import type { ProblemCode } from '../../contract/problem.ts'
import type { Answer } from '../api/test-api.ts'

/** Each status (docs/reference/conventions.md#errors) and its codes. */
const codes: Readonly<Record<number, readonly ProblemCode[]>> = {
  400: ['invalid_request', 'authorization_pending', 'access_denied', 'expired_token'],
  401: ['unauthenticated'],
  403: ['forbidden'],
  404: ['not_found'],
  405: ['method_not_allowed'],
  413: ['too_large'],
  429: ['rate_limited', 'slow_down'],
}
/** Errors of dashboard routes: no codes, and one more status. */
const dashboardStatuses = [400, 401, 403, 404, 405, 413, 415, 429]

/** Sentences are for people: they quote no long input and no internal text. */
const longestSentence = 400
const machineWords =
  /\bat .*\.(ts|js):\d|TypeError|RangeError|ZodError|\[object |undefined|ECONN|svcapps\.|svcprojects\.|svc\.svc\.dev|<nil>/

export function expectError(path: string, answer: Answer): void {
  const isV1 = path === '/api/v1' || path.startsWith('/api/v1/')
  expect(answer.status, answer.text).to.be.oneOf(isV1 ? Object.keys(codes).map(Number) : dashboardStatuses)
  if (!isV1 && answer.status === 404 && answer.body === undefined) {
    expect(answer.headers.get('content-type')).to.equal('text/plain; charset=utf-8')
    expect(answer.text).to.equal('404 page not found')
    return
  }
  expect(answer.headers.get('content-type')).to.equal('application/json; charset=utf-8')
  expect(answer.body, answer.text).to.have.all.keys(...(isV1 ? ['error', 'code'] : ['error']))
  if (isV1) expect(answer.body.code).to.be.oneOf([...(codes[answer.status] ?? [])])
  expectSentence(answer.body.error)
}

function expectSentence(error: unknown): void {
  expect(error).to.be.a('string').and.not.equal('')
  const sentence = String(error)
  expect(sentence.length, sentence.slice(0, 200)).to.be.at.most(longestSentence)
  expect(sentence).not.to.match(machineWords)
}
