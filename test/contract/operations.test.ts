/** Rules that hold for every operation. */
import { expect } from 'chai'
import { pathParams, serverEvents, terminalView } from '../../contract/operation.ts'
import { allOperations } from '../../contract/operations.ts'
import { isSchedule } from '../../contract/fields/cron.ts'
import { dashboardRoutes, shapeOf, v1Routes } from '../../api/http/routes.ts'

describe('operations', () => {
  for (const [id, operation] of allOperations) {
    it(`${id} is reachable, and its paths name parameters it has`, () => {
      const paths = [operation.v1?.path, operation.dashboard?.path].filter((path) => path !== undefined)
      expect(paths).not.to.have.length(0)
      expect(Object.keys(operation.params.shape)).to.include.members(paths.flatMap(pathParams))
      const required = [operation.v1?.required, operation.dashboard?.required].flatMap((fields) =>
        Object.keys(fields ?? {}),
      )
      expect(Object.keys(operation.params.shape)).to.include.members(required)
    })
  }

  it('answer no request twice on either surface', () => {
    for (const routes of [v1Routes, dashboardRoutes]) {
      const shapes = routes.map(({ method, path }) => shapeOf(method, path))
      expect(shapes).to.have.length(new Set(shapes).size)
    }
  })

  it('are forwarded to the versioned API under the same name, sign-in by password excepted', () => {
    const paths = v1Routes.map(({ method, path }) => `${method} ${path}`)
    expect(paths).to.include('POST /api/v1/apps/{app}/config/raw')
    expect(paths).to.include('GET /api/v1/session')
    expect(paths).not.to.include('POST /api/v1/login')
  })
})

describe('the view of a stream and of a terminal', () => {
  for (const view of [undefined, null, {}, [], { onMessage: () => undefined }])
    it(`is not ${view === undefined ? 'undefined' : JSON.stringify(view)}`, () => {
      expect(terminalView.safeParse(view).success).to.equal(false)
      expect(serverEvents.safeParse(view).success).to.equal(false)
    })

  it('is what can be followed, and what has both directions', () => {
    const end = { onMessage: () => undefined, onClose: () => undefined, send: () => undefined, close: () => undefined }
    expect(terminalView.safeParse(end).success).to.equal(true)
    async function* events() {
      yield { data: 1 }
    }
    expect(serverEvents.safeParse(events()).success).to.equal(true)
  })
})

describe('schedules', () => {
  for (const text of ['* * * * *', '*/5 0-6,12 1 1-12/2 0', '59 23 31 12 7', '@midnight', '@annually']) {
    it(`takes ${text}`, () => {
      expect(isSchedule(text)).to.equal(true)
    })
  }
  for (const text of [
    '',
    '* * * *',
    '60 * * * *',
    '* 24 * * *',
    '* * 0 * *',
    '* * * 13 *',
    '* * * * 8',
    '5-1 * * * *',
    '*/0 * * * *',
    'MON * * * *',
    '@reboot',
    '* * * * * *',
    '1,, * * * *',
  ]) {
    it(`refuses "${text}"`, () => {
      expect(isSchedule(text)).to.equal(false)
    })
  }
})
