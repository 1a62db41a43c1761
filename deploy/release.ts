/** Shows the releases of svc that Temporal knows, and makes one of them current: `node deploy/release.ts --help`. */
import { parseArgs } from 'node:util'
import { connectTemporal, grpcCodeOf, temporalSettings } from '../temporal/client/client.ts'
import { readReleases, setCurrent } from '../temporal/releases/deployment.ts'

const help = `Usage: node one-machine/boot.mjs deploy/release.ts [options]

Lists the releases that workers of svc ran with, the newest first, and marks the one that has the work.
Temporal is found by the same SVC_TEMPORAL_* variables as by the worker.

  --current RELEASE   gives the work to this release, at once and until a release comes that never had it
  --unversioned       gives the work to workers without a version, as releases before 0.2 are; stop the others first,
                      since each of them takes it back
`

interface Wish {
  readonly current?: string | undefined
  readonly unversioned?: boolean | undefined
}

/** DEADLINE_EXCEEDED, UNAVAILABLE: their own sentences name neither Temporal nor the address that was tried. */
const unanswered = new Set<number | undefined>([4, 14])

async function release({ current, unversioned }: Wish): Promise<void> {
  const settings = temporalSettings(process.env)
  const { client, close } = connectTemporal(settings)
  try {
    const before = await readReleases(client)
    if (current !== undefined && !before.known.some(({ id }) => id === current))
      throw new Error(`no worker of release ${current} was ever here`)
    const changes = current !== undefined || unversioned === true
    if (changes && !(await setCurrent(client, current, before.token)))
      throw new Error('the releases changed at this moment: look again')
    const now = changes ? await readReleases(client) : before
    for (const { id, since } of now.known.toSorted((a, b) => (a.since < b.since ? 1 : -1)))
      console.log(
        `${id === now.current ? '*' : ' '} ${id}  since ${new Date(Number(since / 1_000_000n)).toISOString()}`,
      )
    if (now.current === undefined) console.log('* workers without a version')
  } catch (error) {
    if (!unanswered.has(grpcCodeOf(error))) throw error
    const sentence = `Temporal does not answer at ${settings.address}: SVC_TEMPORAL_ADDRESS says where it is`
    throw new Error(sentence, { cause: error })
  } finally {
    await close()
  }
}

try {
  const options = {
    current: { type: 'string' },
    unversioned: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const
  const { help: wantsHelp, ...wish } = parseArgs({ options }).values
  if (wantsHelp === true) process.stdout.write(help)
  else await release(wish)
} catch (error) {
  console.error(`svc release: ${error instanceof Error ? error.message : String(error)}`)
  process.exitCode = 1
}
