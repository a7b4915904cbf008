import { createUserClient, createDeviceClient } from '@homeward/device-sdk'
import { expect, it } from 'vitest'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectFineInEveryLook, expectNoSidewaysScroll } from './expect-accessible.ts'

describeInBrowser('what can be done with many devices', {}, (world) => {
  const client = () => createUserClient({ baseUrl: world.cloudUrl })
  const local = { userId: 'local' }

  async function addDevices(count: number, prefix: string, platform: string, labels: string[]) {
    for (let index = 0; index < count; index += 1)
      await world.cloud().registerDevice(local, { name: `${prefix} ${index}`, type: 'iot', platform, labels })
  }

  it('searches from the first screen, and says which scopes a device opens and how old its agent is', async () => {
    const body = { name: 'Pi', type: 'iot', platform: 'linux' }
    const { device, apiKey } = await client().registerDevice({ body })
    const agent = createDeviceClient({ baseUrl: world.cloudUrl, apiKey })
    const metadata = {
      agentVersion: '0.0.1',
      scopes: [{ name: 'files' }, { name: 'printers', title: 'Printers' }],
    }
    await agent.sendHeartbeat(metadata)
    const page = await world.openPage('devices')
    await page.getByPlaceholder('Search files on your device').fill('invoice')
    await page.keyboard.press('Enter')
    await page.getByText('0 of 1 device answered').waitFor()
    await page.getByRole('button', { name: '1 device has not answered yet' }).click()
    await page.getByRole('row', { name: /Pi.*online/ }).waitFor()

    await page.goto(`${world.cloudUrl}/devices/${device.id}`)
    await page.getByText('files, Printers').waitFor()
    await screenshot(page, 'device-page')
    await page.getByText('old version').waitFor()
    await page.getByRole('searchbox', { name: 'Search files' }).fill('notes')
    await page.getByRole('link', { name: 'More options' }).click()
    await page.getByRole('checkbox', { name: 'Printers' }).waitFor()
    expect(await page.getByRole('textbox', { name: 'Search for' }).inputValue()).toBe('notes')
    await page.getByRole('checkbox', { name: 'Choose Pi', checked: true }).waitFor()
  })

  it('narrows the list by facets with counts, and changes the labels of all that match', async () => {
    await addDevices(4, 'Till', 'linux', ['shop'])
    await addDevices(2, 'Desk', 'macos', ['office'])
    const page = await world.openPage('devices')
    const offers = async (field: string, name: string) => {
      const filters = page.getByRole('search', { name: 'Filters' })
      await filters.getByRole('button', { name: new RegExp(`${field}$`) }).click()
      await page.getByRole('option', { name, exact: true }).waitFor()
      await page.keyboard.press('Escape')
    }
    await offers('Platform', 'macos (2)')
    await offers('Status', 'Offline (6)')
    await page.getByRole('combobox', { name: 'Labels' }).fill('shop')
    await page.keyboard.press('Enter')
    await page.getByText('4 of 7 devices, 0 online').waitFor()
    expect(new URL(page.url()).search).toBe('?label=shop')
    await offers('Platform', 'macos (0)')
    await page.getByPlaceholder('Search files on 4 matching devices').waitFor()
    await screenshot(page, 'device-facets')
    await expectFineInEveryLook(page)
    await page.setViewportSize({ width: 390, height: 844 })
    await expectNoSidewaysScroll(page)
    await screenshot(page, 'device-facets-phone')
    await page.setViewportSize({ width: 1280, height: 800 })

    await page.getByRole('button', { name: 'Edit labels of 4' }).click()
    const dialog = page.getByRole('dialog', { name: 'Edit the labels of 4 devices' })
    const added = dialog.getByRole('combobox', { name: 'Labels to add' })
    await added.fill('Not valid')
    await added.press('Enter')
    await dialog.getByText('“not valid” is not a valid label.').waitFor()
    await added.press('Backspace')
    await added.fill('site:oslo')
    await added.press('Enter')
    const removed = dialog.getByRole('combobox', { name: 'Labels to remove' })
    await removed.fill('shop')
    await removed.press('Enter')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Labels of 4 devices saved').waitFor()
    const labels = async () =>
      (await client().listDevices()).devices.map((each) => `${each.name}: ${each.labels}`)
    // devices of one millisecond have no order
    expect((await labels()).filter((each) => each.startsWith('Till')).toSorted()).toEqual([
      'Till 0: site:oslo',
      'Till 1: site:oslo',
      'Till 2: site:oslo',
      'Till 3: site:oslo',
    ])

    await page.goto(`${world.cloudUrl}/devices`)
    await page.getByRole('checkbox', { name: 'Choose Desk 0' }).check()
    await page.getByRole('button', { name: 'Edit labels of 1' }).click()
    await page.getByRole('combobox', { name: 'Labels to add' }).fill('desk')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Labels of 1 device saved').waitFor()
    expect(await labels()).toContain('Desk 0: office,desk')
  })
})
