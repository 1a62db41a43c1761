/** Arguments of any kind for tools, the same for the same seed. */

/** Numbers from 0 to 1, the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

const odd: readonly unknown[] = [
  'web',
  'apps',
  'databases',
  '',
  '..',
  '../../me',
  'a/b?c=d#e',
  '%2e%2e',
  'x'.repeat(254),
  '\u0000',
  '\ud83d\ude00',
  '__proto__',
  0,
  1,
  -1,
  1.5,
  1e21,
  true,
  false,
  null,
  [],
  {},
  ['web'],
  { $ne: 1 },
]

/** Most of the arguments that a tool has, each with anything; sometimes one that it does not have. */
export function randomArguments(names: readonly string[], random: () => number): Record<string, unknown> {
  const pick = (): unknown => odd[Math.floor(random() * odd.length)]
  const chosen = names.filter(() => random() < 0.8).map((name) => [name, pick()] as const)
  // A wait of random length is not what this is about.
  const short = chosen.filter(([name]) => name !== 'wait' && name !== 'enabled')
  return Object.fromEntries(random() < 0.1 ? [...short, ['surprise', pick()]] : short)
}
