/** Settings, "Backup of svc": the downloaded file opens with its key, and the page says how it comes back. */
import { readFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { newKey, openBackup } from '../../cli/platform/backup-file.ts'
import { violations } from './axe.ts'
import { startTestDashboard, type TestDashboard, type View } from './dashboard.ts'

describe('the backup of svc in the dashboard', function () {
  this.timeout(180_000)
  let dashboard: TestDashboard
  let project: string
  let view: View

  before(async () => {
    dashboard = await startTestDashboard()
    project = await dashboard.project('Kept state')
    view = await dashboard.open('/')
  })
  after(() => dashboard?.stop())
  afterEach(() => expect(view.complaints).to.deep.equal([]))

  const key = () => view.page.getByLabel('Public key')
  const button = () => view.page.getByRole('button', { name: 'Back up and download' })

  it('is found by its name, and refuses what is no public key in the words of the api, with what was typed kept', async () => {
    const { page } = view
    await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('backup of svc')
    await page.getByRole('option', { selected: true }).getByText('Backup of svc').waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Back up svc itself' }).waitFor()
    await key().fill('ssh-ed25519 AAAA')
    await page.getByText('recipient must be a public key of age, such as age1…').waitFor()
    // One letter of a real one is another: only the api sees that.
    const { recipient } = await newKey()
    const wrong = `${recipient.slice(0, -1)}${recipient.endsWith('q') ? 'p' : 'q'}`
    await key().fill(wrong)
    await button().click()
    await page.getByText('recipient is no public key of age: a character of it is wrong').waitFor()
    await view.expectComplaint('400')
    expect(await key().inputValue()).to.equal(wrong)
    expect(await violations(page)).to.deep.equal([])
  })

  it('downloads a whole file that its key opens, and says what is in it', async () => {
    const { page } = view
    const { text, recipient } = await newKey()
    await key().fill(recipient)
    const [file] = await Promise.all([page.waitForEvent('download'), button().click()])
    const bytes = await readFile(await file.path())
    const { header, entries } = await openBackup(bytes, text)
    expect(file.suggestedFilename()).to.match(new RegExp(`^svc-\\d{4}-\\d\\d-\\d\\d-${header.id}\\.age$`))
    expect(
      entries.some((entry) => entry.includes(project)),
      'the project is in it',
    ).to.equal(true)
    const said = page.getByRole('region', { name: 'The backup' })
    await said.getByText(header.id, { exact: true }).waitFor()
    await said.getByText(new RegExp(`^${header.entries} objects in `)).waitFor()
    await said.getByText(createHash('sha256').update(bytes).digest('hex')).waitFor()
    await said.getByText('The file has this checksum').waitFor()
    const [again] = await Promise.all([
      page.waitForEvent('download'),
      said.getByRole('link', { name: 'Download it again' }).click(),
    ])
    expect(await readFile(await again.path())).to.deep.equal(bytes)
    expect(await violations(page)).to.deep.equal([])
  })

  it('says how it is brought back: by the command line, with the address of this install', async () => {
    const { page } = view
    const panel = page.getByRole('region', { name: 'Bring a backup back' })
    await panel.getByText(`svc platform restore svc.age --key svc-recovery.key --url ${dashboard.baseUrl}`).waitFor()
    expect(await panel.getByRole('button', { name: 'Copy the command' }).count()).to.equal(2)
  })

  it('says what failed while svc does not answer, and keeps the key; it is closed to viewers', async () => {
    const { page } = view
    const viewer = await dashboard.open('/settings/backup', 'viewer')
    await viewer.page.getByText('Not for your role').waitFor()
    expect(await viewer.page.getByLabel('Public key').count()).to.equal(0)
    expect(viewer.complaints).to.deep.equal([])
    await dashboard.stopApi()
    await button().click()
    await page.getByRole('alert').getByText('Svc does not answer.').waitFor()
    expect(await key().inputValue()).to.match(/^age1/)
    const lost = /ERR_(CONNECTION_REFUSED|INCOMPLETE_CHUNKED_ENCODING)/
    view.complaints.splice(0, view.complaints.length, ...view.complaints.filter((each) => !lost.test(each)))
  })
})
