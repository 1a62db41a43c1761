/** Every operation is used by a page of the dashboard, or there is a reason why none needs it. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { z } from 'zod'
import { operations, type OperationId } from '../../contract/operations.ts'

const folder = join(import.meta.dirname, '../../dashboard')

/** Not used by a page, and why. */
const reasons: Partial<Record<OperationId, string>> = {
  'platform.version': 'for programs',
  'platform.bootstrap': 'whole records of the install at once; each page reads summaries of what it shows',
  'platform.me': 'a page reads auth.session, which answers those who are not signed in as well',
  'platform.openapi': 'for programs; /docs shows it',
  'platform.restore': 'a file is opened where its key is: Settings, "Backup of svc" has the command',
  'auth.device-start': 'for the program that signs in',
  'auth.device-token': 'for the program that signs in',
  'tokens.self': 'for tokens alone',
  'tokens.services': 'for project tokens alone',
  'tokens.deploy': 'for project tokens alone',
  'apps.scale': 'apps.update saves the number of copies, with the version that the page shows',
  'apps.networking-delete': 'apps.update saves an empty host, with the version that the page shows',
}

/** Fields without a place on any page: they are saved, and svc does not act on them. */
const idle = new Set(['dnsVerification', 'metrics'])

/** What the sources of the pages name; `data/routes.json` is made of the contract and proves nothing. */
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => readFileSync(join(folder, file), 'utf8'))
  .join('\n')

/** Every word of the sources; fields of probes are made of two. */
const named = new Set([
  ...(sources.match(/\w+/g) ?? []),
  ...['readiness', 'liveness'].flatMap((probe) =>
    ['Path', 'Port', 'Period', 'Timeout', 'FailureThreshold'].map((end) => `${probe}${end}`),
  ),
])

describe('the operations in the dashboard', () => {
  it('are each used by a page, or have a reason', () => {
    const unused = Object.keys(operations).filter((id) => !sources.includes(`'${id}'`) && !sources.includes(`"${id}"`))
    expect(unused.sort()).to.deep.equal(Object.keys(reasons).sort())
  })

  it('that write have each of their fields named by a page', () => {
    const missing = Object.entries(operations).flatMap(([id, { params, v1, dashboard }]) => {
      const isRead = (v1 ?? dashboard)?.method === 'GET'
      if (isRead || Object.hasOwn(reasons, id)) return []
      const fields = Object.keys((params as z.ZodObject).shape)
      return fields.filter((field) => !named.has(field) && !idle.has(field)).map((field) => `${id}.${field}`)
    })
    expect(missing).to.deep.equal([])
  })
})
