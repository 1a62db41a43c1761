/** The conversion rules of versioned writes, one by one; typed params survive encoding and decoding. */
import { expect } from 'chai'
import fc from 'fast-check'
import { z } from 'zod'
import { decode } from '../../../contract/json/decode.ts'
import { anyText, flag, list, oneOf, wholeNumber } from '../../../contract/fields/fields.ts'
import { formToFields, jsonToFields, paramsToJson, parseJsonObject } from '../../../contract/json/fields.ts'

const none = formToFields('')
const fields = (body: Record<string, unknown>, query = none) => Object.fromEntries(jsonToFields(body, query))

describe('JSON to form', () => {
  it('keeps texts and numbers as they are written (rule 1)', () => {
    expect(fields({ a: 'x', b: 3, c: '' })).to.deep.equal({ a: ['x'], b: ['3'], c: [''] })
  })
  for (const written of [
    '12345678901234567890',
    '-9007199254740993',
    '0.12345678901234567',
    '1e400',
    '9'.repeat(400),
  ]) {
    it(`keeps the number ${written.slice(0, 20)}, which JSON.parse rounds (rule 1)`, () => {
      const body = `{"a": ${written}, "b": [1, ${written}], "c": "x: ${written}", "{\\"": 2}`
      expect(fields(parseJsonObject(body))).to.deep.equal({
        a: [written],
        b: ['1', written],
        c: [`x: ${written}`],
        '{"': ['2'],
      })
    })
  }
  it('keeps numbers that JSON.parse reads as they are, and the JSON text of objects', () => {
    const body = '{"a": 9007199254740991, "b": 0.30000000000000004, "c": 1e3, "d": {"e": 1, "f": [1e5]}}'
    expect(fields(parseJsonObject(body))).to.deep.equal({
      a: ['9007199254740991'],
      b: ['0.30000000000000004'],
      c: ['1000'],
      d: ['{"e":1,"f":[100000]}'],
    })
  })
  it('makes true a checked box and omits false and null (rule 1)', () => {
    expect(fields({ a: true, b: false, c: null })).to.deep.equal({ a: ['on'] })
  })
  it('repeats a list and writes objects as their JSON text (rule 2)', () => {
    expect(fields({ a: ['x', 2, true], b: { c: [1] }, d: [{ e: 1 }] })).to.deep.equal({
      a: ['x', '2', 'on'],
      b: ['{"c":[1]}'],
      d: ['{"e":1}'],
    })
  })
  it('refuses a list of lists (rule 2)', () => {
    expect(() => fields({ tags: [['a']] })).to.throw('tags must not be a list of lists')
  })
  it('takes query fields, and lets body fields win over them (rule 3)', () => {
    const query = formToFields('confirmName=query&other=1')
    expect(fields({ confirmName: 'body' }, query)).to.deep.equal({ confirmName: ['body'], other: ['1'] })
  })
  for (const body of ['[]', '"x"', '3', 'null', 'true']) {
    it(`refuses the body ${body}, which is not an object (rule 4)`, () => {
      expect(() => parseJsonObject(body)).to.throw('request body must be a JSON object')
    })
  }
  it('refuses a body that is not JSON, without repeating it', () => {
    expect(() => parseJsonObject('{"password": "hunter2"')).to.throw(/^request body is not valid JSON$/)
  })
  it('takes no body for an empty object', () => {
    expect(parseJsonObject(' ')).to.deep.equal({})
  })
})

describe('typed params', () => {
  const schema = z.object({
    text: anyText('text').optional(),
    count: wholeNumber('count', -5, 1000).optional(),
    on: flag('on').optional(),
    kind: oneOf('kind', ['a', 'b']).optional(),
    names: list(anyText('names'), 'names').optional(),
    items: list(z.object({ id: z.string(), n: z.number(), deep: z.object({ yes: z.boolean() }) }), 'items').optional(),
  })
  const params = fc.record(
    {
      text: fc.string(),
      count: fc.integer({ min: -5, max: 1000 }),
      on: fc.boolean(),
      kind: fc.constantFrom('a' as const, 'b' as const),
      // An empty text inside a list stands for the empty list, so no list of texts can contain one.
      names: fc.array(fc.string({ minLength: 1 })),
      items: fc.array(fc.record({ id: fc.string(), n: fc.integer(), deep: fc.record({ yes: fc.boolean() }) })),
    },
    { requiredKeys: [], noNullPrototype: true },
  )

  it('arrive on the versioned API as they were sent, through JSON', () => {
    fc.assert(
      fc.property(params, (sent) => {
        const body = parseJsonObject(JSON.stringify(paramsToJson(sent)))
        expect(decode(schema, jsonToFields(body, none))).to.deep.equal(sent)
      }),
    )
  })

  it('arrive on a dashboard route as they were sent, through a form', () => {
    fc.assert(
      fc.property(params, (sent) => {
        const form = new URLSearchParams()
        for (const [name, values] of jsonToFields(paramsToJson(sent), none))
          for (const value of values) form.append(name, value)
        expect(decode(schema, formToFields(form.toString()))).to.deep.equal(sent)
      }),
    )
  })
})
