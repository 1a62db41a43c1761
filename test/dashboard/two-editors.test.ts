/** Two people edit the same settings: each sees the other's change before it is overwritten. */
import { expect } from 'chai'
import { startTestDashboard, uniqueName, type TestDashboard, type View } from './dashboard.ts'

describe('two editors of the same settings', function () {
  this.timeout(180_000)
  let dashboard: TestDashboard
  let view: View
  const service = uniqueName('edited')

  before(async () => {
    dashboard = await startTestDashboard()
    const project = await dashboard.project('Edited')
    await ask('POST', '/apps', { project, environment: 'production', name: service, image: 'svc/hello:1' })
    view = await dashboard.open(`/services/${service}/settings`)
  })
  after(() => dashboard?.stop())

  const ask = async (method: string, path: string, json: unknown) => {
    const answer = await dashboard.ask(method, `/api/v1${path}`, { cookie: await dashboard.signIn('admin'), json })
    expect(answer.status, answer.text).to.equal(200)
  }
  const imageOf = async () => {
    const { body } = await dashboard.ask('GET', `/api/v1/apps/${service}`, { cookie: await dashboard.signIn('admin') })
    return body.spec.source.image.image as string
  }
  const source = () => view.page.getByRole('region', { name: 'Source' })
  const save = () => source().getByRole('button', { name: 'Save' })
  /** The refusal of a save that came before the news is in the console; one that was not made is not. */
  const withoutRefusal = () =>
    expect(view.complaints.splice(0).filter((each) => !each.includes('400'))).to.deep.equal([])

  it('does not overwrite what the other one saved a moment ago, and lets one keep the own value', async () => {
    const image = source().getByLabel('Image')
    await image.fill('svc/hello:mine')
    await ask('PATCH', `/apps/${service}`, { image: 'svc/hello:theirs' })
    // Before the stream says that there is something new, most likely. By the keyboard: that news moves the button.
    await image.press('Enter')
    await source().getByText('Changed meanwhile by others: Image is now "svc/hello:theirs"').waitFor()
    expect(await imageOf()).to.equal('svc/hello:theirs')
    expect(await image.inputValue()).to.equal('svc/hello:mine')
    await source().getByRole('button', { name: 'Keep mine' }).click()
    await save().click()
    await source().getByRole('status').getByText('Saved').waitFor()
    expect(await imageOf()).to.equal('svc/hello:mine')
    withoutRefusal()
  })

  it('takes in what the other one changed elsewhere in the form, says so, and saves only its own', async () => {
    await source().getByLabel('Image').fill('svc/hello:4')
    await ask('PATCH', `/apps/${service}`, { port: 9000 })
    await source().getByText('Changed meanwhile by others, and shown as it is now: Port.').waitFor()
    expect(await source().getByLabel('Port').inputValue()).to.equal('9000')
    await save().click()
    await source().getByRole('status').getByText('Saved').waitFor()
    expect(await imageOf()).to.equal('svc/hello:4')
    withoutRefusal()
  })

  it('saves by itself with the newer version when nothing in the form was changed by others', async () => {
    await source().getByLabel('Image').fill('svc/hello:5')
    await ask('POST', `/apps/${service}/display-name`, { displayName: 'Also changed' })
    await save().click()
    await source().getByRole('status').getByText('Saved').waitFor()
    expect(await imageOf()).to.equal('svc/hello:5')
    withoutRefusal()
  })

  it('sees in one browser what is saved in another, before it is overwritten', async () => {
    const other = await dashboard.open(`/services/${service}/settings`)
    const theirs = other.page.getByRole('region', { name: 'Source' })
    await source().getByLabel('Image').fill('svc/hello:here')
    await theirs.getByLabel('Image').fill('svc/hello:there')
    await theirs.getByRole('button', { name: 'Save' }).click()
    await theirs.getByRole('status').getByText('Saved').waitFor()
    await source().getByText('Changed meanwhile by others: Image is now "svc/hello:there"').waitFor()
    await source().getByRole('button', { name: 'Take theirs' }).click()
    expect(await source().getByLabel('Image').inputValue()).to.equal('svc/hello:there')
    expect(await imageOf()).to.equal('svc/hello:there')
    expect(other.complaints).to.deep.equal([])
    withoutRefusal()
  })

  it('edit all plain variables as text: it names what it would delete, and nothing is lost of what the other one set', async () => {
    await ask('POST', `/apps/${service}/config/set`, { key: 'KEPT', value: '1' })
    const { page, complaints } = await dashboard.open(`/services/${service}/variables`)
    await page.getByRole('button', { name: 'Edit all as text' }).click()
    const text = page.getByLabel('All plain variables')
    await text.fill('MINE=1')
    await page.getByText('Before you save: this deletes KEPT.').waitFor()
    await ask('POST', `/apps/${service}/config/set`, { key: 'THEIRS', value: '2' })
    await page.getByText('Changed meanwhile by others: All plain variables is now').waitFor()
    expect(await text.inputValue()).to.equal('MINE=1')
    await page.getByRole('button', { name: 'Take theirs' }).click()
    expect((await text.inputValue()).split('\n')).to.have.members(['KEPT=1', 'THEIRS=2'])
    await text.fill('KEPT=1\nTHEIRS=2\nMINE=1')
    await page.getByRole('button', { name: 'Replace all' }).click()
    const table = page.getByRole('region', { name: 'Plain variables' }).last()
    await table.getByRole('row').filter({ hasText: 'MINE' }).waitFor()
    await table.getByRole('row').filter({ hasText: 'THEIRS' }).waitFor()
    expect(complaints).to.deep.equal([])
  })
})
