/**
 * docs/reference/limits.md names every limit of the interface, and every duration and count of durable work, with its
 * value: a constant or a page that is changed alone fails this test.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import * as limits from '../../contract/limits.ts'
import * as processLimits from '../../contract/process-limits.ts'
import { standardPolicy } from '../../durable/policy.ts'

const page = readFileSync(join(import.meta.dirname, '../../docs/reference/limits.md'), 'utf8')
const constants: Readonly<Record<string, unknown>> = { ...limits, ...processLimits, ...standardPolicy }

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
  it('names every limit of the interface, and every entry of the policy', () => {
    const named = new Set(rows.map(({ name }) => name))
    expect(Object.keys(constants).filter((name) => !named.has(name))).to.deep.equal([])
  })

  it('names no constant that is not there', () => {
    expect(rows.filter(({ name }) => constants[name] === undefined)).to.deep.equal([])
  })

  for (const line of lines.filter(({ names }) => names.length > 0)) {
    it(`says what ${line.names.join(', ')} is, and no other number`, () =>
      expect(disagreements(line, constants)).to.deep.equal([]))

    for (const name of line.names)
      it(`disagrees with each number of ${name} that is set wrong`, () => {
        for (const wrong of eachSetWrong(constants[name]))
          expect(disagreements(line, { ...constants, [name]: wrong }), JSON.stringify(wrong)).not.to.deep.equal([])
      })
  }
})

interface PageLine {
  names: string[]
  value: string
}

/** What the line lacks of the constants, and which of its numbers none of them has. */
function disagreements({ names, value }: PageLine, of: Readonly<Record<string, unknown>>): string[] {
  const missing = names.flatMap((name) =>
    partsOf(of[name])
      .filter((part) => (typeof part === 'number' ? !numbersIn(value, name).includes(part) : !value.includes(part)))
      .map((part) => `${name} is ${part}, the page says ${value}`),
  )
  // By place: the constants of a row may convert the same unit to different numbers.
  const counted = names.map((name) => numbersIn(value, name))
  const isKnown = (at: number) =>
    names.some((name, place) => partsOf(of[name]).some((part) => numberOf(part) === counted[place]?.[at]))
  const unknown = (counted[0] ?? []).flatMap((number, at) => (isKnown(at) ? [] : [`the page says ${number}`]))
  return [...missing, ...unknown]
}

/** The constant once for each number and text in it, with that one changed. */
function eachSetWrong(constant: unknown): unknown[] {
  if (typeof constant === 'number') return [constant + 1]
  if (typeof constant === 'string') return [constant.replace(/\d+/, (digits) => String(Number(digits) + 1))]
  return Object.entries(constant as object).flatMap(([key, part]) =>
    eachSetWrong(part).map((wrong) => ({ ...(constant as object), [key]: wrong })),
  )
}

/** The number of a text such as `10Gi` or `15m`. */
function numberOf(part: number | string): number {
  return typeof part === 'number' ? part : Number.parseFloat(part)
}
