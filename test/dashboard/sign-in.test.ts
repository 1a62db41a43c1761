/** Getting in: the sign-in page, its refusal, a session that ends under an open page, a program that is approved. */
import { expect } from 'chai'
import { violations } from './axe.ts'
import { startTestDashboard, uniqueName, type TestDashboard } from './dashboard.ts'
import { testUsers } from '../api/test-api.ts'
import { deviceTokenDays, tokenDays } from '../../contract/limits.ts'

const dayMs = 86_400_000

describe('signing in to the dashboard', function () {
  this.timeout(240_000)
  let dashboard: TestDashboard

  before(async () => {
    dashboard = await startTestDashboard()
  })
  after(() => dashboard?.stop())

  it('says who is refused, lets in who knows the password, and shows the page that was asked for', async () => {
    const { page, complaints, expectComplaint } = await dashboard.open('/cluster', 'nobody')
    await page.getByLabel('User name').fill(testUsers.admin.username)
    await page.getByLabel('Password').fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').getByText('Invalid username or password.', { exact: true }).waitFor()
    await expectComplaint('400')
    await page.getByLabel('Password').fill(testUsers.admin.password)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Cluster', level: 1 }).waitFor()
    expect(new URL(page.url()).pathname).to.equal('/cluster')
    await page.getByRole('button', { name: testUsers.admin.username }).click()
    await page.getByRole('menuitem', { name: 'Sign out everywhere' }).click()
    await page.getByRole('heading', { name: 'Sign in to svc' }).waitFor()
    expect(complaints).to.deep.equal([])
  })

  it('says that failures pause sign-in once a pause is near', async () => {
    const { page, complaints } = await dashboard.open('/', 'nobody')
    const said = page.getByRole('alert').getByText('Repeated failures pause sign-in for a minute')
    await page.getByLabel('User name').fill(uniqueName('no-one'))
    await page.getByLabel('Password').fill('not the password')
    for (const isNear of [false, false, true]) {
      const answered = page.waitForResponse(/\/api\/login$/)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await answered
      await page.getByRole('alert').waitFor()
      expect(await said.count()).to.equal(isNear ? 1 : 0)
    }
    expect(complaints.filter((complaint) => !complaint.includes('400'))).to.deep.equal([])
  })

  it('says where the first password is, and who adds further users', async () => {
    const { page, complaints } = await dashboard.open('/', 'nobody')
    await page.getByText('The first password was shown when svc was started.').waitFor()
    await page.getByText('An administrator adds further users under Settings.').waitFor()
    expect(await violations(page)).to.deep.equal([])
    expect(complaints).to.deep.equal([])
  })

  it('asks again over the page when the session ends, and keeps what was typed', async () => {
    const { page, context, complaints } = await dashboard.open('/settings/account')
    await page.getByLabel('Password now').fill('half a thought')
    await context.clearCookies()
    await page.getByRole('link', { name: 'Users' }).waitFor()
    await page.getByLabel('New password').fill('long enough to be taken')
    await page.getByRole('button', { name: 'Change the password' }).click()
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.waitFor()
    expect(await violations(page)).to.deep.equal([])
    await dialog.getByLabel('Password').fill(testUsers.admin.password)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.waitFor({ state: 'hidden' })
    expect(await page.getByLabel('Password now').inputValue()).to.equal('half a thought')
    expect(complaints.filter((complaint) => !complaint.includes('401'))).to.deep.equal([])
  })

  it('approves a program by its code, and refuses one that is unknown', async () => {
    const { body } = await dashboard.ask('POST', '/api/v1/auth/device', { json: { clientName: 'laptop' } })
    const { page, complaints, expectComplaint } = await dashboard.open('/device?code=BCDFGHJK')
    await page.getByText('This code is unknown or expired').waitFor()
    await expectComplaint('404')
    await page.getByLabel('Code').fill(body.userCode)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText(body.userCode).waitFor()
    await page.getByText('laptop').waitFor()
    expect(await violations(page)).to.deep.equal([])
    await page.getByLabel('Role').selectOption('viewer')
    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByText('Approved: the program goes on by itself').waitFor()
    const token = await dashboard.ask('POST', '/api/v1/auth/token', { json: { deviceCode: body.deviceCode } })
    expect(token.body).to.include({ role: 'viewer', approvedBy: testUsers.admin.username })
    expect(complaints).to.deep.equal([])
  })

  it('gives a program a token that ends after the days that were chosen, or never', async () => {
    for (const [days, ends] of [
      ['3', 3],
      ['0', undefined],
    ] as const) {
      const { body } = await dashboard.ask('POST', '/api/v1/auth/device', { json: { clientName: `for ${days} days` } })
      const { page, complaints } = await dashboard.open(`/device?code=${body.userCode}`)
      await page.getByText('Code ends in').waitFor()
      const field = page.getByLabel('Days until it ends')
      expect(Number(await field.inputValue())).to.equal(deviceTokenDays)
      for (const typed of ['many', '', '1.5']) {
        await field.fill(typed)
        await page.getByRole('button', { name: 'Approve' }).click()
        await page.getByText(`expiresInDays must be a whole number from ${tokenDays.min} to ${tokenDays.max}`).waitFor()
      }
      await field.fill(days)
      const before = Date.now()
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByText('Approved: the program goes on by itself').waitFor()
      const token = await dashboard.ask('POST', '/api/v1/auth/token', { json: { deviceCode: body.deviceCode } })
      expect(token.status, token.text).to.equal(200)
      if (ends === undefined) expect(token.body.expiresAt).to.equal(null)
      else expect(Date.parse(token.body.expiresAt) - before).to.be.closeTo(ends * dayMs, dayMs / 24)
      expect(complaints).to.deep.equal([])
    }
  })

  it('refuses a program by its code, which gets nothing, and says so', async () => {
    const { body } = await dashboard.ask('POST', '/api/v1/auth/device', { json: { clientName: 'stranger' } })
    const { page, complaints } = await dashboard.open(`/device?code=${body.userCode}`)
    await page.getByText('stranger').waitFor()
    await page.getByRole('button', { name: 'Refuse' }).click()
    await page.getByText('Refused: the program gets nothing.').waitFor()
    const token = await dashboard.ask('POST', '/api/v1/auth/token', { json: { deviceCode: body.deviceCode } })
    expect([token.status, token.body.token]).to.deep.equal([400, undefined])
    expect(complaints).to.deep.equal([])
  })
})
