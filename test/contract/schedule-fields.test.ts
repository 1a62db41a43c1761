/** Schedules of a function as fields of creating one: what they take, and the sentence with which they refuse. */
import { expect } from 'chai'
import { decode } from '../../contract/json/decode.ts'
import { formToFields } from '../../contract/json/fields.ts'
import { operations } from '../../contract/operations.ts'
import { refusalOf } from './refusal.ts'

describe('Schedules of a function', () => {
  const trigger = (fields: object) => {
    const triggers = JSON.stringify({ name: 'nightly', schedule: '@daily', ...fields })
    const form = `project=proj-00000001&environment=production&functionTriggers=${encodeURIComponent(triggers)}`
    return refusalOf(() => decode(operations['apps.create'].params, formToFields(form)))
  }
  const cron = 'a schedule must be a five-field cron expression or a word such as @hourly'
  const good = [
    '@hourly',
    '@daily',
    '@midnight',
    '@weekly',
    '@monthly',
    '@yearly',
    '@annually',
    '* * * * *',
    '0 3 * * *',
    '*/15 * * * *',
    '0-30/5 8-18 1,15 1-12 0-7',
    '59 23 31 12 7',
    ' 0  3 * * * ',
  ]
  for (const schedule of good) it(`runs at ${schedule}`, () => expect(trigger({ schedule })).to.equal('taken'))
  const bad = [
    '',
    '@reboot',
    '@every 5m',
    '* * * *',
    '* * * * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * 32 * *',
    '* * * 13 *',
    '* * * 0 *',
    '* * * * 8',
    'MON * * * *',
    '* * * JAN *',
    '*/0 * * * *',
    '5-1 * * * *',
    '1,,2 * * * *',
    '-1 * * * *',
    '1- * * * *',
    '* * L * *',
    '? * * * *',
    'TZ=UTC 0 3 * * *',
  ]
  for (const schedule of bad) it(`refuses "${schedule}"`, () => expect(trigger({ schedule })).to.equal(cron))

  const named = 'a schedule name must use lowercase letters, digits, and dashes, up to 32 characters'
  for (const name of ['a', 'a-1', 'n'.repeat(32)])
    it(`may be called ${name}`, () => expect(trigger({ name })).to.equal('taken'))
  for (const name of ['', 'A', '-a', 'a-', 'a_b', 'n'.repeat(33)])
    it(`may not be called "${name}"`, () => expect(trigger({ name })).to.equal(named))

  for (const target of ['/', '/run', '/run?full=1'])
    it(`calls ${target}`, () => expect(trigger({ path: target })).to.equal('taken'))
  for (const target of ['', 'run', '/a b', 'https://x/'])
    it(`does not call "${target}"`, () =>
      expect(trigger({ path: target })).to.equal('a schedule path must start with /'))

  for (const payload of ['', '{}', '[1]', '"x"', 'null', { a: 1 }, [1], 5])
    it(`sends ${JSON.stringify(payload)}`, () => expect(trigger({ payload })).to.equal('taken'))
  for (const payload of ['{', 'x', "{'a':1}"])
    it(`does not send ${payload}`, () => expect(trigger({ payload })).to.equal('a schedule payload must be valid JSON'))
})
