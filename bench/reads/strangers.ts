/** Bench 14: what a signed-in reader notices while others try passwords and tokens that do not exist. */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Agent } from 'undici'
import type { Line } from '../rig/line.ts'
import type { Rig } from '../rig/rig.ts'
import { median, percentile } from '../rig/statistics.ts'

const loginsPerSecond = 50
const tokensPerSecond = 100
/** The reader asks again so long after an answer. */
const pauseMs = 5

export async function strangers(rig: Rig, { quick }: { quick: boolean }): Promise<Line[]> {
  const seconds = quick ? 2 : 10
  const calm: number[] = []
  const attacked: number[] = []
  const answers: string[] = []
  await readFor(rig, 1) // once for nothing, while the code gets compiled
  for (let round = 0; round < (quick ? 1 : 3); round += 1) {
    calm.push(percentile(await readFor(rig, seconds), 0.99))
    const attack = attackFor(rig, seconds + 2)
    await sleep(1000)
    attacked.push(percentile(await readFor(rig, seconds), 0.99))
    answers.push(await attack)
  }
  return [
    {
      bench: 14,
      work: `a signed-in reader, p99, while ${loginsPerSecond} sign-ins and ${tokensPerSecond} made-up tokens a second come from many addresses (answered ${answers.join(' ')}): ${shown(attacked)}`,
      peer: `the same reader without them: ${shown(calm)}`,
      ratio: median(attacked) / median(calm),
      goal: { atMost: 2 },
      samples: { attackedMs: attacked, calmMs: calm },
    },
  ]
}

const shown = (samples: readonly number[]): string => `${median(samples).toFixed(1)} ms`

/** Milliseconds of each read. Throws for a refusal: those are quick and would look good. */
async function readFor({ url, token }: Rig, seconds: number): Promise<number[]> {
  const dispatcher = new Agent({ connections: 1 })
  const until = performance.now() + seconds * 1000
  const samples: number[] = []
  while (performance.now() < until) {
    const began = performance.now()
    // Longer than what goes out uncompressed: compression shares threads with what signing in must not take.
    const { statusCode, body } = await dispatcher.request({
      origin: url,
      method: 'GET',
      path: '/api/v1/openapi.json',
      headers: { authorization: `Bearer ${token}`, 'accept-encoding': 'gzip' },
    })
    await body.arrayBuffer()
    if (statusCode !== 200) throw new Error(`the reader was answered ${statusCode}`)
    samples.push(performance.now() - began)
    await sleep(pauseMs)
  }
  await dispatcher.close()
  return samples
}

/** In a process of its own, so that sending is not measured. Answers how many of each status there were. */
async function attackFor({ url }: Rig, seconds: number): Promise<string> {
  const args = [new URL(url).port, loginsPerSecond, tokensPerSecond, seconds].map(String)
  const { stdout } = await promisify(execFile)(process.execPath, [
    join(import.meta.dirname, '../peers/strangers-main.ts'),
    ...args,
  ])
  return stdout.trim()
}
