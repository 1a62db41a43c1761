/**
 * docs/reference/limits.md names every limit of the interface with its value: a constant or a page that is changed
 * alone fails this test.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import * as limits from '../../contract/limits.ts'
import { standardPolicy } from '../../durable/policy.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/reference/limits.md'), 'utf8')
const constants: Readonly<Record<string, unknown>> = { ...limits, ...standardPolicy }

/** What a row states for a constant, e.g. `0 to 3650` for `tokenDays`. */
const lines = page.split('\n').map((line) => {
  const cells = line.split('|').map((cell) => cell.trim())
  const names = [...(cells.at(-2) ?? '').matchAll(/`([a-z]\w+)`/g)].map(([, name = '']) => name)
  return { names, value: cells.at(-3) ?? '' }
})
const rows = lines.flatMap(({ names, value }) => names.map((name) => ({ name, value })))

const units: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  KiB: 1024,
  MiB: 1024 * 1024,
}

/** The divisor that converts a unit to the unit in the constant's name. */
function countedIn(name: string, unit: string): number {
  if (unit.endsWith('iB')) return 1
  if (name.endsWith('Ms')) return 1
  return name.endsWith('Days') ? 86_400_000 : 1000
}

/** The numbers of a cell in the unit of the constant: `15 minutes` of `...Seconds` is 900. */
function numbersIn(value: string, name: string): number[] {
  return [...value.matchAll(/(\d[\d,]*)(?: (ms|s|minute|hour|day|KiB|MiB)s?\b)?/g)].map(([, digits = '', unit]) => {
    const number = Number(digits.replaceAll(',', ''))
    return unit === undefined ? number : (number * (units[unit] ?? 1)) / countedIn(name, unit)
  })
}

/** Every number and every text in a constant. */
function partsOf(constant: unknown): (number | string)[] {
  if (typeof constant === 'number' || typeof constant === 'string') return [constant]
  return Object.values(constant as object).flatMap(partsOf)
}

describe('the page of limits', () => {
  it('names every limit of the interface', () => {
    const named = new Set(rows.map(({ name }) => name))
    expect(Object.keys(limits).filter((name) => !named.has(name))).to.deep.equal([])
  })

  it('names no constant that is not there', () => {
    expect(rows.filter(({ name }) => constants[name] === undefined)).to.deep.equal([])
  })

  for (const { name, value } of rows)
    it(`says what ${name} is`, () => {
      const numbers = numbersIn(value, name)
      for (const part of partsOf(constants[name])) {
        if (typeof part === 'number') expect(numbers, value).to.include(part)
        else expect(value).to.include(part)
      }
    })
  for (const { names, value } of lines.filter((line) => line.names.length > 0))
    it(`says no number but those of ${names.join(', ')}`, () => {
      // By place: the constants of a row may convert the same unit to different numbers.
      const counted = names.map((name) => numbersIn(value, name))
      const isKnown = (at: number) =>
        names.some((name, of) => partsOf(constants[name]).some((part) => numberOf(part) === counted[of]?.[at]))
      expect(counted[0]?.map((_, at) => at).filter((at) => !isKnown(at))).to.deep.equal([], value)
    })
})

/** The number of a text such as `10Gi` or `15m`. */
function numberOf(part: number | string): number {
  return typeof part === 'number' ? part : Number.parseFloat(part)
}
