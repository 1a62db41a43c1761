/** Results are cut to what an agent can read, keep their shape, and say that they were cut. */
import { expect } from 'chai'
import { errorResult, refusalResult, resultOf } from '../../../mcp/tool/answer.ts'
import { cutText, cutToSize } from '../../../mcp/tool/cut.ts'
import { ToolError } from '../../../mcp/tool/tool.ts'
import { ApiError, UnreachableError } from '../../../client/api-error.ts'
import { textOf } from '../agent.ts'

const max = 60_000
const line = (at: number) => ({ t: String(at), line: 'x'.repeat(120) })

describe('the cut of a result', () => {
  it('leaves what is short enough as it is', () => {
    const view = { items: ['a'] }
    expect(cutToSize(view, { keep: 'first' })).to.equal(view)
  })
  it('leaves a result of exactly the limit, and cuts one character more', () => {
    const frame = JSON.stringify({ a: '' }).length
    const exact = { a: 'x'.repeat(max - frame) }
    expect(cutToSize(exact, { keep: 'first' })).to.equal(exact)
    expect(cutToSize({ a: `${exact.a}x` }, { keep: 'first' })).to.have.property('cut')
  })
  const variables = Object.fromEntries(Array.from({ length: 3000 }, (_, at) => [`VARIABLE_${at}`, 'x'.repeat(20)]))
  const deep = { a: { b: { c: Array.from({ length: 900 }, () => ({ d: ['y'.repeat(5000)] })) } } }
  const rows: [string, Record<string, unknown>][] = [
    ['a long list', { lines: Array.from({ length: 2000 }, (_, at) => line(at)) }],
    ['a long text', { body: 'x'.repeat(1_000_000) }],
    ['a long map of names', { config: variables }],
    ['long lists of long texts, deep inside', deep],
    ['texts of characters that JSON escapes', { body: '\u0001'.repeat(200_000) }],
  ]
  for (const [title, view] of rows) {
    it(`keeps the shape of ${title}`, () => {
      const cut = cutToSize(view, { keep: 'first' })
      expect(JSON.stringify(cut).length).to.be.at.most(max)
      expect(Object.keys(cut)).to.deep.equal([...Object.keys(view), 'cut'])
      expect(cut['cut']).to.match(/^the result had \d+ characters and was cut to 60000/)
      for (const [name, value] of Object.entries(view))
        expect(cut[name]).to.be.a(Array.isArray(value) ? 'array' : typeof value)
    })
  }
  it('keeps the newest lines of a log, and says so in the text too', () => {
    const lines = Array.from({ length: 2000 }, (_, at) => line(at))
    const result = resultOf({
      structured: { lines },
      inWords: (view) => (view['lines'] as { t: string }[]).map(({ t }) => t).join('\n'),
    })
    const kept = result.structuredContent?.['lines'] as { t: string }[]
    expect(kept.at(-1)?.t).to.equal('1999')
    expect(textOf(result)).to.match(/1999\n\[the result had \d+ characters/)
  })
  it('cuts a text and says so at its end', () => {
    expect(cutText('x'.repeat(max))).to.have.length(max)
    const cut = cutText('x'.repeat(max + 1))
    expect(cut).to.have.length(max)
    expect(cut).to.match(/\[the result had 60001 characters and was cut to 60000; ask for less\]$/)
  })
})

describe('the refusal of a tool', () => {
  const rows: [string, Error, RegExp][] = [
    [
      '401',
      new ApiError(401, 'unauthenticated', 'invalid or expired API token'),
      /^invalid or expired API token \[the token is not valid/,
    ],
    [
      '403',
      new ApiError(403, 'forbidden', 'viewer role cannot access this'),
      /^viewer role cannot access this \[this token may not/,
    ],
    ['404', new ApiError(404, 'not_found', 'app not found'), /^app not found \[check the name/],
    ['400', new ApiError(400, 'invalid_request', 'no capacity'), /^no capacity$/],
    ['500', new ApiError(500, 'internal_error', 'could not complete the request'), /^could not complete the request$/],
    ['no connection', new UnreachableError('could not reach http://a: connection refused'), /^could not reach/],
    ['an own refusal', new ToolError('web is not a function'), /^web is not a function$/],
    ['an own miss', new ToolError('web has no variable A', true), /^web has no variable A \[check the name/],
  ]
  for (const [title, error, text] of rows) {
    it(`is an error result in the words of the service: ${title}`, () => {
      const result = refusalResult(error)
      expect(result.isError).to.equal(true)
      expect(textOf(result)).to.match(text)
    })
  }
  it('is none for what no agent can do anything about', () => {
    expect(() => refusalResult(new TypeError('a defect'))).to.throw(TypeError)
  })
  it('is cut like any other text', () => {
    expect(textOf(errorResult('x'.repeat(max * 2)))).to.have.length(max)
  })
})
