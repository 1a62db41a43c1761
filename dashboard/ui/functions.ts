/** What the forms of functions say (docs/reference/functions.md). */

export const codeHint =
  'On bun and node: a module whose default export takes a Request and returns a Response. On python: handler(request), or an ASGI application named app.'

export const functionModeWords = [
  ['http', 'HTTP requests'],
  ['event', 'CloudEvents, one at a time'],
] as const

/** Runs on bun and node as it is. */
export const sampleCode = "export default (request) => new Response('Hello from ' + new URL(request.url).pathname)\n"
