/** The volume of a service in the dashboard: where the service is created, in its settings, and where it is deleted. */
import type { V1PersistentVolumeClaim } from '@kubernetes/client-node'
import { expect } from 'chai'
import type { Sent } from '../../cluster/objects/object.ts'
import { coreTypes } from '../../cluster/objects/resource-type.ts'
import { eventually } from '../cluster/eventually.ts'
import { useStack } from '../harness/stack.ts'
import { violations } from './axe.ts'
import { startTestDashboard, uniqueName, type TestDashboard, type View } from './dashboard.ts'

describe('the volume of a service in the dashboard', function () {
  this.timeout(300_000)
  let dashboard: TestDashboard
  let project: string
  let view: View
  const service = uniqueName('kept')
  const oneCopy = /a service with a volume runs one copy: /i

  before(async () => {
    dashboard = await startTestDashboard()
    project = await dashboard.project('Volumes')
    view = await dashboard.open(`/projects/${project}/create`)
  })
  after(() => dashboard?.stop())
  afterEach(() => expect(view.complaints).to.deep.equal([]))

  const field = (label: string) => view.page.getByLabel(label, { exact: true })
  const claimed = async () => {
    const { client } = await useStack()
    const claim = {
      type: coreTypes.persistentVolumeClaim,
      namespace: `${project}-production`,
      name: `${service}-volume`,
    }
    return (await client.get<Sent<V1PersistentVolumeClaim>>(claim))?.spec?.resources?.requests?.['storage']
  }
  const running = () => view.page.getByText('Running: 1 of 1 copy ready.').waitFor({ timeout: 60_000 })

  it('is asked for by both forms that create a service, and refused with two copies', async () => {
    const { page } = view
    await page.getByText('Service from git').click()
    await field('Path of the volume').waitFor()
    await page.getByText('Service', { exact: true }).click()
    await field('Image').fill('svc/hello:1')
    await field('Name').fill(service)
    expect(await field('Size of the volume').count()).to.equal(0)
    await field('Path of the volume').fill('/etc/kept')
    await page.getByText('volumePath must not be in /proc, /sys, /dev, /etc, /run, /var/run').waitFor()
    await field('Path of the volume').fill('/data')
    await field('Size of the volume').fill('2Gi')
    await field('Copies').fill('2')
    expect(await violations(page)).to.deep.equal([])
    await page.getByRole('button', { name: 'Create the service' }).click()
    await page.getByText(oneCopy).waitFor()
    await view.expectComplaint('400')
    await field('Copies').fill('1')
    await page.getByRole('button', { name: 'Create the service' }).click()
    await page.getByRole('heading', { name: service, level: 1 }).waitFor()
    await running()
    expect(await claimed()).to.equal('2Gi')
  })

  it('never shrinks, which is said beside the field, and grows with a deploy where the cluster can', async () => {
    const { page } = view
    await page.goto(`${dashboard.baseUrl}/services/${service}/settings`)
    const panel = page.getByRole('region', { name: 'Volume' })
    const save = panel.getByRole('button', { name: 'Save' })
    await field('Size of the volume').fill('1Gi')
    await save.click()
    await panel.getByRole('alert').getByText('volumeSize cannot shrink; the volume has 2Gi').waitFor()
    await view.expectComplaint('400')
    await field('Size of the volume').fill('4Gi')
    await save.click()
    await panel.getByText(/this cluster cannot enlarge volumes; the volume keeps its 2Gi/i).waitFor()
    await view.expectComplaint('400')
    const { client } = await useStack()
    const { storageClasses } = dashboard.needs.caches
    const [name = ''] = storageClasses.list().map(({ metadata }) => metadata.name)
    await client.patch({ type: coreTypes.storageClass, name }, { allowVolumeExpansion: true })
    try {
      await eventually('the api knows', () => storageClasses.get(name, '')?.allowVolumeExpansion === true)
      await save.click()
      await panel.getByRole('status').getByText('Saved').waitFor()
      await page.getByRole('button', { name: 'Show changes' }).click()
      await page.getByRole('row', { name: /^volume.size/ }).waitFor()
      expect(await violations(page)).to.deep.equal([])
      await page.getByRole('button', { name: 'Deploy changes' }).click()
      await eventually('the claim has grown', async () => (await claimed()) === '4Gi', 60_000)
      await running()
    } finally {
      await client.patch({ type: coreTypes.storageClass, name }, { allowVolumeExpansion: null })
    }
  })

  it('bears one copy, and goes with the service alone', async () => {
    const { page } = view
    await page.goto(`${dashboard.baseUrl}/services/${service}/scaling`)
    const copies = page.getByRole('region', { name: 'Copies' })
    await copies.getByRole('textbox', { name: 'Copies' }).fill('2')
    await copies.getByRole('button', { name: 'Apply' }).click()
    await copies.getByText(oneCopy).waitFor()
    await view.expectComplaint('400')
    await copies.getByRole('button', { name: 'Undo' }).click()
    await page.goto(`${dashboard.baseUrl}/services/${service}/danger`)
    await page.getByRole('button', { name: 'Delete this service' }).click()
    const dialog = page.getByRole('dialog', { name: `Delete ${service}?` })
    await dialog.getByText('its volume, with all the data on it').waitFor()
    await dialog.getByLabel(`Type ${service} to delete the service`).fill(service)
    await dialog.getByRole('button', { name: `Delete ${service}` }).click()
    await eventually('the claim is gone', async () => (await claimed()) === undefined, 60_000)
  })
})
