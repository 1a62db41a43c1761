/**
 * Each row of the endpoint tables has a test that names it, by method and path; a new operation fails here until it has
 * a test.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { allOperations } from '../../contract/operations.ts'

const root = join(import.meta.dirname, '../..')
// The recorded services of client tests are excluded: their answers test no operation.
const files = globSync('test/{api,contract,property,rules}/**/*.ts', { cwd: root })
const named = new Set(files.flatMap((file) => namesIn(readFileSync(join(root, file), 'utf8'))))

/**
 * `POST /apps/{}/scale` for each title that names the operation on either surface, whatever its parameters are called;
 * comments do not count.
 */
function namesIn(source: string): string[] {
  const lines = source.split('\n').filter((line) => !/^\s*(\/\/|\/\*|\*)/.test(line))
  const names = lines.join('\n').matchAll(/\b(GET|POST|PATCH|PUT|DELETE) (\/[\w{}/.-]*[\w}])/g)
  return [...names].map(([, method = '', path = '']) => shapeOf(method, path))
}

function shapeOf(method: string, path: string): string {
  return `${method} ${path.replace(/^\/api(\/v1)?(?=\/)/, '').replace(/\{\w*\}/g, '{}')}`
}

describe('a test names', () => {
  for (const [id, { v1, dashboard }] of allOperations) {
    const routes = [v1, dashboard].filter((route) => route !== undefined)
    it(`${routes.map(({ method, path }) => `${method} ${path}`).join(', or ')} (${id})`, () => {
      expect(
        [...named].filter((name) => routes.some(({ method, path }) => shapeOf(method, path) === name)),
      ).not.to.deep.equal([])
    })
  }
})
