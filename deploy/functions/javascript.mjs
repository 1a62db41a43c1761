/**
 * Runs one function on bun or node: `javascript.mjs <file of the code> <http or event>`. Without packages, since it is
 * all that the image holds besides the runtime. Its rules: docs/reference/functions.md#the-runner
 */
import { createServer } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { pathToFileURL } from 'node:url'

const bodyMax = 10 * 1024 * 1024
const answerMs = 120_000
const stopMs = 25_000
const healthPath = '/.svc/health'

const [file = '', mode = 'http'] = process.argv.slice(2)
let stopping = false

/** What ends a request with a status and a sentence that its caller may see. */
class Refusal extends Error {
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

async function load() {
  const code = await import(pathToFileURL(file).href)
  const named = mode === 'event' ? 'handler' : 'fetch'
  const found = [code.default, code.default?.[named], code[named]].find((each) => typeof each === 'function')
  if (found === undefined) throw new Error(`the code exports no handler: export a function as default, or as ${named}`)
  return found === code.default?.[named] ? found.bind(code.default) : found
}

async function readBody(incoming) {
  const chunks = []
  let size = 0
  for await (const chunk of incoming.iterator({ destroyOnReturn: false })) {
    size += chunk.length
    if (size > bodyMax) throw new Refusal(413, `a request may have at most ${bodyMax} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function urlOf(incoming) {
  try {
    return new URL(incoming.url, `http://${incoming.headers.host ?? 'localhost'}`)
  } catch {
    throw new Refusal(400, 'the address of the request cannot be read')
  }
}

/** The standard Request of what came in; its signal ends with the connection. */
async function requestOf(incoming, signal) {
  const headers = new Headers()
  for (let at = 0; at < incoming.rawHeaders.length; at += 2)
    headers.append(incoming.rawHeaders[at], incoming.rawHeaders[at + 1])
  const body = await readBody(incoming)
  const mayHaveBody = !['GET', 'HEAD'].includes(incoming.method)
  const url = urlOf(incoming)
  return new Request(url, { method: incoming.method, headers, signal, ...(mayHaveBody ? { body } : {}) })
}

/** A CloudEvent in either of the two forms that its HTTP binding has. */
async function eventOf(request) {
  if (request.method !== 'POST') throw new Refusal(405, 'an event is sent with POST')
  const type = request.headers.get('content-type') ?? ''
  const attributes = {}
  for (const [name, value] of request.headers) if (name.startsWith('ce-')) attributes[name.slice(3)] = value
  const event = type.startsWith('application/cloudevents+json')
    ? await json(request)
    : { ...attributes, ...(type === '' ? {} : { datacontenttype: type }), data: await dataOf(request, type) }
  for (const needed of ['specversion', 'id', 'source', 'type'])
    if (typeof event?.[needed] !== 'string') throw new Refusal(400, `this is no CloudEvent: it has no ${needed}`)
  return event
}

const dataOf = async (request, type) => (/[/+]json\b/.test(type) ? await json(request) : await request.text())

async function json(request) {
  try {
    return await request.json()
  } catch {
    throw new Refusal(400, 'the body is not JSON')
  }
}

async function answer(handler, request) {
  if (mode === 'event') {
    await handler(await eventOf(request))
    return new Response(null, { status: 204 })
  }
  const response = await handler(request)
  if (!(response instanceof Response)) throw new TypeError('the handler returned no Response')
  return response
}

async function send(response, outgoing, method) {
  outgoing.shouldKeepAlive &&= !stopping
  const headers = [...response.headers].filter(([name]) => name !== 'set-cookie')
  outgoing.writeHead(response.status, [
    ...headers.flat(),
    ...response.headers.getSetCookie().flatMap((cookie) => ['set-cookie', cookie]),
  ])
  if (response.body === null || method === 'HEAD') {
    outgoing.end()
    return
  }
  await pipeline(Readable.fromWeb(response.body), outgoing)
}

/** Resolves with what comes first, and leaves no timer behind. */
async function withinLimit(work) {
  let timer
  const late = new Promise((_resolve, reject) => {
    timer = setTimeout(() => reject(new Refusal(504, `no answer within ${answerMs / 1000} seconds`)), answerMs)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

function refuse(error, outgoing) {
  const isRefusal = error instanceof Refusal
  // The caller of a function is not its author: the stack goes to the log alone.
  if (!isRefusal || error.status === 504) console.error(error)
  if (outgoing.headersSent) {
    outgoing.destroy()
    return
  }
  const message = isRefusal ? error.message : 'the function failed'
  outgoing.writeHead(isRefusal ? error.status : 500, { 'content-type': 'text/plain', connection: 'close' })
  outgoing.end(`${message}\n`)
}

function serve(handler) {
  const server = createServer({ requestTimeout: answerMs }, (incoming, outgoing) => {
    if (incoming.url === healthPath) {
      outgoing.writeHead(stopping ? 503 : 200).end()
      return
    }
    const gone = new AbortController()
    outgoing.on('close', () => gone.abort())
    void (async () => {
      try {
        const request = await requestOf(incoming, gone.signal)
        await send(await withinLimit(answer(handler, request)), outgoing, incoming.method)
      } catch (error) {
        // What is left over is read and forgotten: a client that still sends would not see the answer.
        incoming.resume()
        if (!outgoing.destroyed) refuse(error, outgoing)
        else if (!gone.signal.aborted) console.error(error)
      }
    })()
  })
  server.listen(Number(process.env.PORT ?? 8080), () => console.log(`the function listens on ${server.address().port}`))
  process.on('SIGTERM', () => {
    stopping = true
    server.close(() => process.exit(0))
    server.closeIdleConnections()
    setTimeout(() => process.exit(0), stopMs).unref()
  })
}

try {
  serve(await load())
} catch (error) {
  console.error(error)
  process.exit(1)
}
