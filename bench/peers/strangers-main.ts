/**
 * Callers without credentials, each from a loopback address of its own: `strangers-main.ts PORT LOGINS TOKENS SECONDS`
 * sends so many sign-ins with made-up names and so many requests with made-up tokens a second, to 127.0.0.1 alone, and
 * ends by itself.
 */
import { randomBytes } from 'node:crypto'
import { request } from 'node:http'

const [port = 0, logins = 0, tokens = 0, seconds = 0] = process.argv.slice(2).map(Number)
/** Requests without an answer yet; more are not sent, so that the attack stays bounded. */
const openMax = 500
const answered = new Map<number, number>()
let open = 0
let sent = 0

const letters = (count: number): string => randomBytes(count).toString('hex').slice(0, count)

function send(method: string, path: string, headers: Record<string, string>, body: string): void {
  if (open >= openMax) return
  open += 1
  sent += 1
  // Every address of 127.0.0.0/8 is this machine.
  const localAddress = `127.1.${(sent >> 8) & 255}.${(sent & 255) + 1 > 254 ? 1 : (sent & 255) + 1}`
  const end = (status: number): void => {
    open -= 1
    answered.set(status, (answered.get(status) ?? 0) + 1)
  }
  request({ host: '127.0.0.1', port, method, path, headers, localAddress, agent: false }, (answer) => {
    answer.resume().once('end', () => end(answer.statusCode ?? 0))
  })
    .once('error', () => end(0))
    .end(body)
}

function signIn(): void {
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  send('POST', '/api/login', form, `username=${letters(12)}&password=${letters(12)}`)
}

function useToken(): void {
  send('GET', '/api/v1/me', { authorization: `Bearer svw_${letters(12)}_${letters(43)}` }, '')
}

function every(perSecond: number, act: () => void): void {
  if (perSecond > 0) setInterval(act, 1000 / perSecond)
}

every(logins, signIn)
every(tokens, useToken)
setTimeout(() => {
  process.stdout.write(`${JSON.stringify(Object.fromEntries(answered))}\n`)
  process.exit(0)
}, seconds * 1000)
