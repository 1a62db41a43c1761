/** The processes of a kill run: two workers, two apis and the servers; kills them by name and starts them again. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, Connection, Client as TemporalClient } from '@temporalio/client'
import { serverNames } from '../../one-machine/index.ts'
import { loadRelease } from '../../temporal/releases/release.ts'
import { setCurrent } from '../../temporal/releases/deployment.ts'
import { otherRelease } from '../harness/other-release.ts'
import { installSleepKinds } from '../harness/keda/install.ts'
import { atEnd, useStack, type Stack } from '../harness/stack.ts'
import type { TestReceiver } from '../outside/webhooks/receiver.ts'
import { startCopies } from '../workflows/schedule-world.ts'
import type { Answer, Call } from './acceptor-calls.ts'
import type { Acceptor } from './acceptor.ts'
import { type AddOn, startAddOn } from './add-on.ts'
import { startMortalWorker, useBundle } from './enumerated.ts'
import type { Kill, Victim } from './kills.ts'
import type { MortalProcess } from './mortal-process.ts'
import { type Outside, startOutside } from './outside.ts'

export interface World {
  outside: Outside
  /** KEDA and its HTTP add-on. */
  addOn: AddOn
  /** What answers in the place of the copies of functions. */
  copies: TestReceiver
  stack: Stack
  /** Calls one of the apis, chosen by the number. */
  ask(call: Call, turn: number): Promise<Answer>
  /** Kills the processes that the kill names; resolves with their count. */
  strike(kill: Kill): Promise<number>
  /** Starts the killed processes again; resolves when the servers and at least one worker and one api are up. */
  bringBack(): Promise<void>
  /** Resolves when all workers and apis are up. */
  allBack(): Promise<void>
  temporal: Client
  /** Moves the work to the other one of two releases, chosen by the number. */
  switchRelease(turn: number): Promise<void>
}

export interface WorldOptions {
  /** File with all output of workers and apis, which is searched for secrets. */
  logFile: string
  policy: object
  startApi: (policy: object, logFile: string, env: Readonly<Record<string, string>>) => Promise<Acceptor>
  /** Whether the two workers run different releases. */
  releases: boolean
}

const deathWithinMs = 4_000
const controllers = ['kwok', 'kube-scheduler', 'kube-controller-manager'] as const

export async function startWorld({ logFile, policy, startApi, releases }: WorldOptions): Promise<World> {
  const stack = await useStack()
  const outside = await startOutside()
  const { copies, addOn, env } = await startCopiesAndAddOn(stack)
  const bundles = releases ? [await useBundle(), await otherRelease()] : [await useBundle()]
  const workers = await startReplicas((place) =>
    startMortalWorker(policy, logFile, {
      ...outside.env,
      ...env,
      SVC_RELEASES: 'newest',
      SVC_WORKFLOW_BUNDLE: bundles[place % bundles.length] ?? '',
    }),
  )
  const apis = await startReplicas(() => startApi(policy, logFile, { ...outside.git.env, ...env }))
  const temporal = new TemporalClient({
    connection: Connection.lazy({ address: stack.temporalAddress }),
    namespace: stack.temporalNamespace,
  })

  /** Whether a killed process is still listed; under load it can be for a long time. */
  const dying: (() => boolean)[] = []

  const kill = async (victim: Victim, turn: number): Promise<number> => {
    switch (victim) {
      case 'worker':
      case 'api':
        return await killAll([(victim === 'worker' ? workers : apis).one(turn)])
      case 'workers':
        return await killAll(workers.all())
      case 'apis':
        return await killAll(apis.all())
      case 'temporal':
        stack.temporal.kill('SIGKILL')
        dying.push(() => stack.temporal.pid() !== 0)
        return 1
      case 'kube-apiserver':
      case 'etcd':
        stack.cluster.kill(victim, 'SIGKILL')
        dying.push(() => stack.cluster.pids()[victim] !== undefined)
        return 1
      case 'object-server':
      case 'database-server':
      case 'cloud':
        await outside.kill(victim)
        return 1
      default:
        return victim satisfies never
    }
  }

  return {
    stack,
    outside,
    addOn,
    copies,
    temporal,
    ask: async (call, turn) => await apis.one(turn).ask(call),
    async strike({ seed, victims, manner, pauseMs, death, pod }) {
      if (pod !== undefined) outside.backups.strike(pod)
      if (death !== undefined) return await dieByItself((victims[0] === 'worker' ? workers : apis).one(seed), death)
      let died = 0
      for (const [place, victim] of victims.entries()) {
        if (place > 0 && manner === 'in turn') await sleep(pauseMs)
        died += await kill(victim, seed)
      }
      return died
    },
    async bringBack() {
      for (const isListed of dying.splice(0)) while (isListed()) await sleep(10)
      await Promise.all([insist(() => reviveServers(stack)), outside.revive(), workers.revive(), apis.revive()])
    },
    async switchRelease(turn) {
      const { id } = await loadRelease(bundles[turn % bundles.length])
      // A result of false is fine: another change of the current release has taken effect at this moment.
      await insist(async () => void (await setCurrent(temporal, id, undefined)))
    },
    allBack: async () => void (await Promise.all([workers.whole(), apis.whole()])),
  }
}

/** The kinds of the add-on are there before the first worker looks for them. */
async function startCopiesAndAddOn({ client }: Stack) {
  await installSleepKinds(client)
  const { copies, env } = await startCopies()
  const addOn = await startAddOn(client, copies.port)
  atEnd(() => addOn.stop())
  return { copies, addOn, env: { ...env, ...addOn.env } }
}

interface Replicas<T> {
  all(): readonly T[]
  /** A running process where there is one. */
  one(turn: number): T
  /** Starts the dead processes again; resolves when one is up. */
  revive(): Promise<void>
  /** Resolves when all are up. */
  whole(): Promise<void>
}

const replicaCount = 2
const mostTries = 5

async function insist(start: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await start()
    } catch (error) {
      if (tries === mostTries) throw error
      console.error(`  started again: ${error instanceof Error ? error.message : String(error)}`)
    }
  }
}

async function startReplicas<T extends MortalProcess>(start: (place: number) => Promise<T>): Promise<Replicas<T>> {
  const replicas: T[] = []
  const starting = new Map<number, Promise<void>>()
  /** A process that ended because the cluster was not up yet is started again, as a supervisor does. */
  const revive = (place: number): Promise<void> =>
    insist(async () => {
      replicas[place] = await start(place)
      starting.delete(place)
    })
  await Promise.all(Array.from({ length: replicaCount }, (_, place) => revive(place)))
  return {
    all: () => replicas,
    one(turn) {
      const living = replicas.filter((replica) => replica.alive)
      const chosen = living[turn % living.length] ?? replicas[turn % replicaCount]
      if (chosen === undefined) throw new Error('there are no replicas')
      return chosen
    },
    async revive() {
      for (const [place, replica] of replicas.entries())
        if (!replica.alive && !starting.has(place)) starting.set(place, revive(place))
      if (!replicas.some((replica) => replica.alive)) await Promise.race(starting.values())
    },
    whole: async () => void (await Promise.all(starting.values())),
  }
}

async function dieByItself(one: MortalProcess, death: NonNullable<Kill['death']>): Promise<number> {
  one.arm({ ...death, about: '' })
  await Promise.race([one.gone, sleep(deathWithinMs, undefined, { ref: false })])
  return one.alive ? await killAll([one]) : 1
}

async function killAll(processes: readonly (MortalProcess | undefined)[]): Promise<number> {
  const alive = processes.filter((each) => each?.alive === true)
  await Promise.all(alive.map(async (each) => each?.kill()))
  return alive.length
}

/**
 * The cluster's own controllers are restarted with their api server. Otherwise they reconnect only after half a minute
 * of backoff, and kwok, which plays the kubelets, never repeats a failed step.
 */
async function reviveServers({ cluster, temporal }: Stack): Promise<void> {
  const running = cluster.pids()
  const gone = serverNames.filter((name) => running[name] === undefined)
  await Promise.all([
    ...gone.map((name) => cluster.restart(name)),
    ...(temporal.pid() === 0 ? [temporal.restart()] : []),
  ])
  if (gone.includes('etcd') || gone.includes('kube-apiserver'))
    await Promise.all(controllers.map((name) => cluster.restart(name)))
}
