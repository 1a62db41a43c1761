/** Which writes are repeated after a conflict, which are not, and when the repetition ends. */
import { expect } from 'chai'
import { ClusterError } from '../../../cluster/objects/errors.ts'
import { type Budget, crowded, onConflict, perActivity, perRequest } from '../../../records/store/retry.ts'

const conflict = () => new ClusterError(409, 'Conflict', 'the object has been modified')
const existing = () => new ClusterError(409, 'AlreadyExists', 'already exists')
const missing = () => new ClusterError(404, 'NotFound', 'not found')
const silence = () => new ClusterError(0, 'Timeout', 'no answer')
const invalid = () => new ClusterError(422, 'Invalid', 'spec is invalid')

/** A write that fails with these errors in turn and then succeeds. */
async function run(budget: Budget, errors: readonly Error[]) {
  const readings: number[] = []
  let writes = 0
  const result = await onConflict(
    budget,
    async (attempt) => {
      readings.push(attempt)
      return `reading ${attempt}`
    },
    async (seen, attempt) => {
      expect(seen).to.equal(`reading ${attempt}`)
      const error = errors[writes]
      writes += 1
      if (error !== undefined) throw error
      return seen
    },
  ).catch((error: unknown) => error)
  return { result, writes, readings }
}

describe('onConflict', () => {
  const conflicts = (count: number) => Array.from({ length: count }, conflict)
  const ends: [string, Budget, Error[], number, string][] = [
    ['writes once where no other write came first', perRequest, [], 1, 'reading 1'],
    ['decides again on a new reading after each conflict', perRequest, conflicts(3), 4, 'reading 4'],
    ['takes an object made or removed meanwhile for a lost race', perRequest, [existing(), missing()], 3, 'reading 3'],
    ['goes through at the last try', perRequest, conflicts(11), 12, 'reading 12'],
    ['tries more often what many write', crowded, conflicts(19), 20, 'reading 20'],
    ['asks again after two lost answers', perRequest, [silence(), conflict(), silence()], 4, 'reading 4'],
  ]
  for (const [title, budget, errors, writes, result] of ends) {
    it(title, async () => {
      expect(await run(budget, errors)).to.deep.equal({
        result,
        writes,
        readings: Array.from({ length: writes }, (_, at) => at + 1),
      })
    })
  }

  const failures: [string, Budget, Error[], number][] = [
    ['the conflict when the tries are spent', perRequest, conflicts(12), 12],
    ['the conflict when the tries of a crowded object are spent', crowded, conflicts(20), 20],
    ['the third lost answer', perRequest, [silence(), silence(), silence()], 3],
    ['a refusal that is no race at once', perRequest, [invalid()], 1],
    ['the first lost answer of an activity', perActivity, [silence()], 1],
    ['what an activity misses or finds there already', perActivity, [missing()], 1],
    ['what an activity finds there already', perActivity, [existing()], 1],
  ]
  for (const [title, budget, errors, writes] of failures) {
    it(`throws ${title}`, async () => {
      const end = await run(budget, errors)
      expect(end.result).to.equal(errors.at(-1))
      expect(end.writes).to.equal(writes)
    })
  }

  it('throws what the reading throws at once, a lost answer as well', async () => {
    const error = silence()
    let readings = 0
    const read = async () => {
      readings += 1
      throw error
    }
    expect(await onConflict(perRequest, read, async () => 'written').catch((thrown: unknown) => thrown)).to.equal(error)
    expect(readings).to.equal(1)
  })
})
