/** Bench 20: the page of a project with 1,000 services in a real browser, which the api serves as to people. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { buildDashboard } from '../../dashboard/build.ts'
import { launchChromium } from '../../test/harness/chromium.ts'
import type { Line } from '../rig/line.ts'
import type { Rig } from '../rig/rig.ts'
import { createDrafts, createProject } from '../rig/services.ts'
import { describeMs, median, percentile } from '../rig/statistics.ts'

const bench = 20
const firstViewGoal = { bytes: 250 * 1024, ms: 1000 }
const pictureGoalMs = 500
const filterGoalMs = 50
/** At 60 frames a second. */
const frameMs = 1000 / 60
const heapGrowth = 1.5
/** Until the last changes are in the page. */
const restMs = 2_000

interface Sizes {
  /** Of the project whose page is opened, and of every other. */
  services: number
  otherProjects: number
  rounds: number
  frames: number
  events: number
}
const standard: Sizes = { services: 1000, otherProjects: 9, rounds: 15, frames: 180, events: 3600 }
/** More than fit on the page as cards. */
const quickly: Sizes = { services: 100, otherProjects: 1, rounds: 3, frames: 30, events: 50 }

export async function pages(rig: Rig, { quick }: { quick: boolean }): Promise<Line[]> {
  const sizes = quick ? quickly : standard
  await buildDashboard()
  for (let other = 1; other <= sizes.otherProjects; other += 1) await fillProject(rig, `other-${other}`, sizes)
  const { project, names } = await fillProject(rig, 'page', sizes)
  const browser = await launchChromium()
  rig.atEnd(() => browser.close())
  const newPage = async (): Promise<Page> => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 860 }, reducedMotion: 'reduce' })
    await signIn(context, rig)
    return context.newPage()
  }
  try {
    const url = `${rig.url}/projects/${project}`
    const lines = [...(await firstView(newPage, url, sizes)), await overview(newPage, `${rig.url}/`, sizes)]
    const page = await newPage()
    await open(page, url)
    lines.push(await eventToPicture(page, rig, sizes), await filter(page, sizes), await scroll(page, sizes))
    return [...lines, await heap(page, rig, names, sizes)]
  } finally {
    await browser.close()
  }
}

async function fillProject({ client }: Rig, prefix: string, { services }: Sizes) {
  const project = await createProject(client)
  const names = Array.from({ length: services }, (_, place) => `${prefix}-${place + 1}`)
  await createDrafts(client, project, names)
  return { project, names }
}

async function signIn(context: BrowserContext, { url, cookie }: Rig): Promise<void> {
  const [name = '', value = ''] = cookie.split('=')
  await context.addCookies([{ name, value, url }])
}

/** Until the rows of services are there. */
async function open(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await page.getByRole('region', { name: 'Services' }).getByRole('listitem').first().waitFor()
}

/** Each in a browser profile that has nothing yet. */
async function firstView(newPage: () => Promise<Page>, url: string, { rounds, services }: Sizes): Promise<Line[]> {
  const times: number[] = []
  let assets = 0
  for (let round = 0; round < rounds; round += 1) {
    const page = await newPage()
    const bytes = await countAssets(await page.context().newCDPSession(page))
    const began = performance.now()
    await open(page, url)
    times.push(performance.now() - began)
    assets = bytes()
    await page.context().close()
  }
  return [
    {
      bench,
      work: `first view of a project with ${services} services: ${describeMs(times)}`,
      peer: `${firstViewGoal.ms} ms`,
      ratio: median(times) / firstViewGoal.ms,
      goal: { atMost: 1 },
      samples: { viewMs: times },
    },
    {
      bench,
      work: `first view: ${Math.round(assets / 1024)} KiB of scripts and styles, compressed`,
      peer: `${firstViewGoal.bytes / 1024} KiB`,
      ratio: assets / firstViewGoal.bytes,
      goal: { atMost: 1 },
    },
  ]
}

/** From nothing to the whole overview: how each project does is there once all services of the install are read. */
async function overview(
  newPage: () => Promise<Page>,
  url: string,
  { rounds, services, otherProjects }: Sizes,
): Promise<Line> {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const page = await newPage()
    const began = performance.now()
    await page.goto(url)
    await page.getByRole('region', { name: 'Projects' }).getByText(String(services)).nth(otherProjects).waitFor()
    times.push(performance.now() - began)
    await page.context().close()
  }
  return {
    bench,
    work: `first view of the overview of ${services * (otherProjects + 1)} services: ${describeMs(times)}`,
    peer: `${firstViewGoal.ms} ms`,
    ratio: median(times) / firstViewGoal.ms,
    goal: { atMost: 1 },
    samples: { viewMs: times },
  }
}

/** What comes over the wire from `/assets/`, headers included. */
async function countAssets(session: CDPSession): Promise<() => number> {
  const wanted = new Set<string>()
  let bytes = 0
  session.on('Network.requestWillBeSent', ({ requestId, request }) => {
    if (new URL(request.url).pathname.startsWith('/assets/')) wanted.add(requestId)
  })
  session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    if (wanted.has(requestId)) bytes += encodedDataLength
  })
  await session.send('Network.enable')
  return () => bytes
}

/** From the request that renames a service to its new name in the page. */
async function eventToPicture(page: Page, { client }: Rig, { rounds }: Sizes): Promise<Line> {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const displayName = `Renamed ${round}`
    const began = performance.now()
    await client.call('apps.display-name', { app: 'page-1', displayName })
    await page.getByRole('link', { name: displayName, exact: true }).waitFor()
    times.push(performance.now() - began)
  }
  await client.call('apps.display-name', { app: 'page-1', displayName: '' })
  return {
    bench,
    work: `a service renamed, from the request to the page: ${describeMs(times)}`,
    peer: `${pictureGoalMs} ms`,
    ratio: percentile(times, 0.95) / pictureGoalMs,
    goal: { atMost: 1 },
    samples: { pictureMs: times },
  }
}

/** From a key to the filtered rows, in the page's own time. */
async function filter(page: Page, { rounds, services }: Sizes): Promise<Line> {
  const times: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    for (const text of ['page-1', 'page-12', 'page-1', '']) times.push(await filterBy(page, text))
  }
  return {
    bench,
    work: `filter ${services} services as it is typed: ${describeMs(times)}`,
    peer: `${filterGoalMs} ms`,
    ratio: percentile(times, 0.95) / filterGoalMs,
    goal: { atMost: 1 },
    samples: { filterMs: times },
  }
}

/** Milliseconds until the count of services has changed and the frame after it was shown. */
function filterBy(page: Page, text: string): Promise<number> {
  return page.evaluate<number>(`new Promise((resolve) => {
    const input = document.querySelector('input[type=search]')
    const count = document.querySelector('section[aria-label=Services] h2 span')
    const before = count.textContent
    const setValue = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set
    const began = performance.now()
    const look = () => count.textContent === before ? requestAnimationFrame(look)
      : requestAnimationFrame(() => resolve(performance.now() - began))
    setValue.call(input, ${JSON.stringify(text)})
    input.dispatchEvent(new Event('input', { bubbles: true }))
    look()
  })`)
}

async function scroll(page: Page, { frames, services }: Sizes): Promise<Line> {
  const times = await page.evaluate<number[]>(`new Promise((resolve) => {
    const times = []
    let last = performance.now()
    const step = (now) => {
      times.push(now - last)
      last = now
      if (times.length > ${frames}) return resolve(times.slice(1))
      scrollBy(0, times.length % 2 === 0 ? 300 : 60)
      requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })`)
  return {
    bench,
    work: `scroll through ${services} services: a frame in ${describeMs(times)}`,
    peer: `${frameMs.toFixed(1)} ms`,
    ratio: percentile(times, 0.95) / frameMs,
    goal: { atMost: 1.5 },
    samples: { frameMs: times },
  }
}

/** As many changes as an hour brings at one a second, faster: what the page keeps of them. */
async function heap(page: Page, { client }: Rig, names: readonly string[], { events }: Sizes): Promise<Line> {
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable')
  const before = await heapMiB(session)
  for (let event = 0; event < events; event += 1) {
    const app = names[event % names.length] ?? ''
    await client.call('apps.display-name', { app, displayName: `Seen ${event}` })
  }
  await sleep(restMs)
  const after = await heapMiB(session)
  return {
    bench,
    work: `heap of the page: ${after.toFixed(1)} MiB after ${events} changes`,
    peer: `${before.toFixed(1)} MiB before`,
    ratio: after / before,
    goal: { atMost: heapGrowth },
  }
}

async function heapMiB(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage')
  const { metrics } = await session.send('Performance.getMetrics')
  return (metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? 0) / 1024 / 1024
}
