/**
 * A request means the same as JSON and as a form: JSON to fields to form text to fields to values, for every operation.
 */
import { expect } from 'chai'
import fc from 'fast-check'
import { decode, type Fields } from '../../contract/json/decode.ts'
import { formToFields, jsonToFields, paramsToJson, parseJsonObject } from '../../contract/json/fields.ts'
import { formFieldsMax, listValuesMax } from '../../contract/limits.ts'
import { allOperations, operationOf } from '../../contract/operations.ts'
import { Problem } from '../../contract/problem.ts'
import { fieldsOf } from '../property/hostile-values.ts'

const seed = Number(process.env['SVC_TEST_SEED'] ?? 20_261_121)
const none = formToFields('')

/** How browsers write a form, and two other encodings that mean the same. */
const writers: Record<string, (pairs: readonly (readonly [string, string])[]) => string> = {
  'as browsers do': (pairs) =>
    new URLSearchParams(pairs.map(([name, value]): [string, string] => [name, value])).toString(),
  'with every byte escaped': (pairs) => pairs.map((pair) => pair.map(escaped).join('=')).join('&'),
  'with empty pairs between': (pairs) => `&${pairs.map((pair) => pair.map(escaped).join('=')).join('&&')}&`,
}

const escaped = (text: string): string =>
  [...Buffer.from(text.toWellFormed())].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

const pairsOf = (fields: Fields) =>
  [...fields].flatMap(([name, values]) => values.map((value) => [name, value] as const))

/** The value, or the sentence of the refusal: both must be the same for either encoding. */
function outcome(read: () => unknown): unknown {
  try {
    return { value: read() }
  } catch (error) {
    if (error instanceof Problem) return { refusal: error.message }
    throw error
  }
}

describe(`the form decoder (seed ${seed})`, () => {
  for (const [index, [id, { params }]] of allOperations.entries()) {
    if (Object.keys(params.shape).length === 0) continue
    it(`reads the fields of ${id} the same out of JSON and out of a form`, () => {
      fc.assert(
        fc.property(fieldsOf(params, {}), fc.constantFrom(...Object.keys(writers)), (sent, writer) => {
          const converted = outcome(() => jsonToFields(parseJsonObject(JSON.stringify(sent)), none))
          if (!isFields(converted)) return
          const fields = converted.value
          const pairs = pairsOf(fields)
          // With the empty pairs in between, the form would have more pairs than a form may have.
          if (pairs.length * 2 >= formFieldsMax) return
          const form = writers[writer]?.(pairs) ?? ''
          const byJson = outcome(() => decode(params, wellFormed(fields)))
          expect(outcome(() => decode(params, formToFields(form)))).to.deep.equal(byJson)
          // A decoded value can be encoded again and decodes to the same value.
          if (isValue(byJson))
            expect(outcome(() => decode(params, jsonToFields(paramsToJson(byJson.value), none)))).to.deep.equal(byJson)
        }),
        { seed: seed + index, numRuns: 60 },
      )
    })
  }

  it('keeps hundreds of repeats in their order, to the last that it takes', () => {
    const values = Array.from({ length: listValuesMax }, (_, index) => `V${index}`)
    const form = values.map((value) => `sharedVariable=${value}`).join('&')
    expect(formToFields(form).get('sharedVariable')).to.deep.equal(values)
    expect(outcome(() => decode(sharedVariables, formToFields(`app=a&${form}&sharedVariable=V`)))).to.deep.equal({
      refusal: `sharedVariable must have at most ${listValuesMax} values`,
    })
  })

  it('takes as many fields as a form may have, and not one more', () => {
    const form = (count: number) => Array.from({ length: count }, (_, index) => `f${index}=${index}`).join('&')
    expect(formToFields(form(formFieldsMax)).size).to.equal(formFieldsMax)
    expect(outcome(() => formToFields(`${form(formFieldsMax)}&&`))).to.deep.equal({
      refusal: `a form must have at most ${formFieldsMax} fields`,
    })
  })
})

const sharedVariables = operationOf('apps.shared-variables-save').params

function isFields(result: unknown): result is { value: Fields } {
  return typeof result === 'object' && result !== null && 'value' in result
}

function isValue(result: unknown): result is { value: Record<string, unknown> } {
  return typeof result === 'object' && result !== null && 'value' in result
}

/**
 * Half a surrogate pair cannot be written in a form; it becomes the replacement character, as in a JSON body sent as
 * UTF-8.
 */
function wellFormed(fields: Fields): Fields {
  return new Map(
    [...fields].map(([name, values]) => [name.toWellFormed(), values.map((value) => value.toWellFormed())]),
  )
}
