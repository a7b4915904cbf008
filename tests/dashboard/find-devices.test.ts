import { createUserClient } from '@homeward/device-sdk'
import { expect, it } from 'vitest'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectAccessible } from './expect-accessible.ts'

describeInBrowser('a fleet in the devices application', {}, (world) => {
  const local = { userId: 'local' }

  async function addFleet(count: number, prefix: string, labels: string[]): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const name = `${prefix} ${index}`
      await world.cloud().registerDevice(local, { name, type: 'iot', platform: 'linux', labels })
    }
  }

  it('C29: finds devices by label, kind and text among many, and keeps the filter in the address', async () => {
    await addFleet(230, 'Till', ['shop'])
    await addFleet(3, 'Kiosk', ['shop', 'site:oslo'])
    await world.cloud().registerDevice(local, {
      name: 'Laptop',
      type: 'laptop',
      platform: 'macos',
      metadata: { os: '100%_sure' },
    })
    const page = await world.openPage('devices')
    await page.getByText('234 devices, 0 online').waitFor()
    const row = (name: string) => page.getByRole('row', { name: new RegExp(name) })
    await row('Kiosk 2').getByRole('link', { name: 'site:oslo' }).click()
    await page.getByText('3 of 234 devices, 0 online').waitFor()
    expect(new URL(page.url()).searchParams.get('label')).toBe('site:oslo')
    await row('Till').first().waitFor({ state: 'detached' })
    await screenshot(page, 'devices-by-label')
    await expectAccessible(page)
    await page.reload()
    await page.getByText('3 of 234 devices, 0 online').waitFor()

    await page.goto(`${world.cloudUrl}/devices?text=${encodeURIComponent('%_SURE')}`)
    await page.getByText('1 of 234 devices, 0 online').waitFor()
    await row('Laptop').waitFor()
    // The oldest device lies behind the first page of rows that is read.
    const words = page.getByRole('searchbox', { name: 'Find devices' })
    await words.fill('till 0')
    await row('Till 0').waitFor()
    await words.fill('nobody has this')
    await page.getByText('No devices match').waitFor()
  })

  it('C29: renames a device, gives it labels, and says what is wrong with one', async () => {
    const client = createUserClient({ baseUrl: world.cloudUrl })
    const { device } = await client.registerDevice({ body: { name: 'Old', type: 'iot', platform: 'linux' } })
    const page = await world.openPage('devices', `/devices/${device.id}`)
    await page.getByRole('button', { name: 'Edit' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit device' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('New name')
    const labels = dialog.getByRole('combobox', { name: 'Labels' })
    await labels.fill('Prod, not allowed')
    await labels.press('Enter')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText(/lowercase letters a to z/).waitFor()
    await expectAccessible(page)
    await labels.press('Backspace')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'New name' }).waitFor()
    expect((await client.getDevice({ params: { id: device.id } })).device).toMatchObject({
      name: 'New name',
      labels: ['prod'],
    })
    await page.getByRole('link', { name: 'prod', exact: true }).click()
    await page.getByText(/^1 of \d+ devices/).waitFor()
  })

  it('C29: chooses devices for a search among all that the server finds', async () => {
    const client = createUserClient({ baseUrl: world.cloudUrl })
    const page = await world.openPage('devices', '/searches/new')
    await page.getByRole('searchbox', { name: 'Find devices' }).fill('TILL 0')
    await page.getByRole('checkbox', { name: 'Choose Till 0' }).check()
    await page.getByRole('textbox', { name: 'Search for' }).fill('fees')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.getByText('Waiting for devices').waitFor()
    expect((await client.listSearches({})).results.map(({ device }) => device.name)).toEqual(['Till 0'])
  })
})
