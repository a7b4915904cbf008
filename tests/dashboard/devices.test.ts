import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createUserClient, Secret } from '@homeward/device-sdk'
import type { Locator, Page } from 'playwright-core'
import { expect, it, onTestFinished } from 'vitest'
import { startDeviceAgent } from '../../apps/homeward/src/device/start-device-agent.ts'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectAccessible, expectFineInEveryLook } from './expect-accessible.ts'
import { chooseAction } from './test-pages.ts'

describeInBrowser('the devices application', {}, (world) => {
  async function register(page: Page, name: string): Promise<string> {
    await chooseAction(page, 'Register device', 'More ways to add a device')
    const dialog = page.getByRole('dialog', { name: 'Register a device' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill(name)
    await dialog.getByRole('button', { name: 'Register' }).click()
    return dialog.getByRole('region', { name: 'API key' }).getByRole('group').innerText()
  }

  /** Starts a device over the folder of the tests. */
  const startDevice = (apiKey: string, name: string) =>
    startDeviceAgent({
      cloudUrl: world.cloudUrl,
      apiKey: new Secret(apiKey),
      roots: [world.deviceFolder],
      stateFolder: join(world.home, name),
      intervalMs: 200,
      log() {},
    })

  it('says beside the field of a registration what the server refused of it', async () => {
    const page = await world.openPage('devices')
    await chooseAction(page, 'Register device', 'More ways to add a device')
    const name = page.getByRole('dialog').getByRole('textbox', { name: 'Name' })
    await name.fill('x'.repeat(201))
    await name.press('Enter')
    await page.getByRole('dialog').getByText('Use at most 200 characters.').waitFor()
    expect(await page.getByRole('dialog').getByRole('alert').count()).toBe(0)
    expect(await name.evaluate((field) => field === document.activeElement)).toBe(true)
  })

  /** Follows a link to a file. @returns what is in it. */
  async function download(page: Page, link: Locator): Promise<string> {
    const [saved] = await Promise.all([page.waitForEvent('download'), link.click()])
    return readFile(await saved.path(), 'utf8')
  }

  it('keeps the key of a new device in sight when Enter is pressed once too often', async () => {
    const page = await world.openPage('devices', '/devices')
    await page.getByRole('button', { name: 'More ways to add a device' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menuitem', { name: 'Register device' }).waitFor()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Register a device' })
    await dialog.getByLabel('Name').waitFor()
    await page.keyboard.type('By keyboard')
    await page.keyboard.press('Enter')
    await dialog.getByRole('region', { name: 'API key' }).waitFor()
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Copied' }).waitFor()
    await dialog.getByRole('button', { name: 'Done' }).focus()
    await page.keyboard.press('Enter')
    await page
      .getByRole('button', { name: 'More ways to add a device' })
      .and(page.locator(':focus'))
      .waitFor()
    const client = createUserClient({ baseUrl: world.cloudUrl })
    const { devices } = await client.listDevices()
    for (const { id, name } of devices) {
      if (name === 'By keyboard') await client.deleteDevice({ params: { id } })
    }
  })

  it('goes from a registration to a result and a downloaded file, without a line in a shell but the one it shows', async () => {
    const page = await world.openPage('devices')
    await page.getByText('No devices yet').waitFor()
    const apiKey = await register(page, 'Attic server')
    expect(apiKey).toMatch(/^hw_[\w-]{43}$/)
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Copy key' }).click()
    await dialog.getByText('Copied').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(apiKey)
    const command = await dialog.getByRole('group', { name: 'command' }).innerText()
    expect(command).toContain(`CLOUD_URL=${world.cloudUrl} \\\n  DEVICE_API_KEY=${apiKey} \\\n`)
    expect(command).toMatch(/npx --yes homeward device run --root "\$HOME\/Documents"$/)
    await screenshot(page, 'register-device')
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Done' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect(await page.content()).not.toContain(apiKey) // shown once

    await writeFile(join(world.deviceFolder, 'harbour-fees.txt'), 'Forty a night.')
    const device = await startDevice(apiKey, 'attic')
    try {
      const row = page.getByRole('row', { name: /Attic server/ })
      await row.getByText('online', { exact: true }).waitFor()
      await screenshot(page, 'devices')
      await row.getByRole('link').click()
      await page.getByRole('link', { name: 'More options' }).click()
      await page.getByRole('textbox', { name: 'Search for' }).fill('harbour')
      await page.getByRole('checkbox', { name: 'System' }).click({ force: true })
      await screenshot(page, 'new-search')
      await page.getByRole('button', { name: 'Search', exact: true }).click()

      const files = page.getByRole('grid', { name: 'Results' })
      const file = files.getByRole('row', { name: /harbour-fees\.txt/ })
      await file.getByText('14 B').waitFor()
      await files.getByRole('row', { name: /^System/ }).waitFor()
      await file.click()
      const preview = page.getByRole('complementary', { name: 'harbour-fees.txt' })
      await preview.getByRole('button', { name: 'Get file' }).click()
      await preview.getByText('Forty a night.').waitFor()
      const link = preview.getByRole('link', { name: /^Download/ })
      await screenshot(page, 'search-results')
      await expectAccessible(page)
      const [saved] = await Promise.all([page.waitForEvent('download'), link.click()])
      expect(saved.suggestedFilename()).toBe('harbour-fees.txt')
      expect(await readFile(await saved.path(), 'utf8')).toBe('Forty a night.')
      await page.keyboard.press('Escape')
      await preview.waitFor({ state: 'detached' })

      // With one device there is nothing to choose, here as for a search.
      await page.getByRole('navigation').getByRole('link', { name: 'Files' }).click()
      await page.getByRole('button', { name: 'Request a file' }).click()
      const choice = page.getByRole('dialog').getByRole('grid', { name: 'Devices to search' })
      await choice.getByRole('checkbox', { name: 'Choose Attic server', checked: true }).waitFor()
    } finally {
      await device.close()
    }
  })

  it('gets a file again that was changed since its copy was fetched', async () => {
    const client = createUserClient({ baseUrl: world.cloudUrl })
    const { device, apiKey } = await client.registerDevice({
      body: { name: 'Kitchen', type: 'laptop', platform: 'linux' },
    })
    const path = join(world.deviceFolder, 'shopping-list.txt')
    const openResult = async () => {
      const body = { query: 'shopping-list', scope: ['files'], deviceIds: [device.id] }
      const { searchQueries } = await client.createSearches({ body })
      await page.goto(`${world.cloudUrl}/searches/${searchQueries[0]?.id}`)
    }
    const page = await world.openPage('devices')
    const file = page.getByRole('row', { name: /shopping-list\.txt/ })
    const panel = page.getByRole('complementary', { name: 'shopping-list.txt' })
    const getFile = panel.getByRole('button', { name: /^Get/ })
    const link = panel.getByRole('link', { name: /^Download/ })
    await writeFile(path, 'Milk.')
    const kitchen = await startDevice(apiKey, 'kitchen')
    onTestFinished(() => kitchen.close())
    await openResult()
    await file.click()
    await getFile.click()
    await panel.getByText('Milk.').waitFor()
    await link.waitFor()
    expect(await getFile.count()).toBe(0)

    await writeFile(path, 'Milk and bread.')
    await openResult()
    await file.click()
    await getFile.waitFor()
    await panel.getByText(/This copy is from/).waitFor()
    expect(await download(page, link)).toBe('Milk.')
    await expectFineInEveryLook(page)
    await getFile.click()
    await panel.getByText('Milk and bread.').waitFor()
    await panel.getByText(/This copy is from/).waitFor({ state: 'detached' })
    await link.waitFor()
    expect(await getFile.count()).toBe(0)
    expect(await download(page, link)).toBe('Milk and bread.')
  })

  it('shows why a search and a file failed', async () => {
    const client = createUserClient({ baseUrl: world.cloudUrl })
    const { device, apiKey } = await client.registerDevice({
      body: { name: 'Broken', type: 'iot', platform: 'linux' },
    })
    const search = await client.createSearches({
      body: { query: 'x', scope: ['files'], deviceIds: [device.id] },
    })
    const page = await world.openPage('devices', `/searches/${search.searchQueries[0]?.id}`)
    await page.getByText('The device is offline').waitFor()
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    await fetch(`${world.cloudUrl}/api/devices/search`, {
      method: 'POST',
      headers,
      body: JSON.stringify({
        queryId: search.searchQueries[0]?.id,
        error: 'The disk <b>cannot</b> be read.',
      }),
    })
    await page.getByText('The disk <b>cannot</b> be read.').waitFor()

    await page.goto(`${world.cloudUrl}/files`)
    await page.getByRole('button', { name: 'Request a file' }).click()
    const dialog = page.getByRole('dialog', { name: 'Request a file' })
    await dialog.getByRole('button', { name: 'Request file' }).click()
    await dialog.getByText('Enter the path of the file on the device.').waitFor()
    await dialog.getByRole('textbox', { name: 'Path' }).fill('/gone.txt')
    await dialog.getByRole('checkbox', { name: 'Choose Broken' }).check()
    await dialog.getByRole('button', { name: 'Request file' }).click()
    await dialog.waitFor({ state: 'detached' })
    const row = page.getByRole('row', { name: /gone\.txt/ })
    await row.getByText('Waiting for the device').waitFor()
    await row.getByRole('button', { name: /^Cancel/ }).click()
    await row.getByText('canceled').waitFor()
    // its button is gone: whoever pressed it goes on from its row
    await page.locator('[role="row"]:focus', { hasText: 'gone.txt' }).waitFor()
    expect((await client.listUploads({ query: { deviceId: device.id } })).results[0]?.status).toBe('canceled')
    const words = page.getByRole('searchbox', { name: 'Name or path' })
    await words.fill('elsewhere')
    await page.getByText('No files match').waitFor()
    await words.fill('TXT gone')
    await row.waitFor()
  })

  it('gives a new key, says that it stores none, and deletes a device once that was confirmed', async () => {
    const client = createUserClient({ baseUrl: world.cloudUrl })
    const body = {
      name: 'Old laptop',
      type: 'laptop',
      platform: 'macos',
      metadata: { os: 'macOS', room: 'attic' },
    }
    const { device, apiKey } = await client.registerDevice({ body })
    const page = await world.openPage('devices', `/devices/${device.id}`)
    await page.getByRole('heading', { name: 'Old laptop' }).waitFor()
    await page.getByText('attic', { exact: true }).waitFor()

    await page.getByText('The server stores no keys.').waitFor()

    await page.getByRole('button', { name: 'New key' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Create a new key' }).click()
    const shown = page.getByRole('dialog', { name: 'API key' })
    const fresh = await shown.getByRole('region', { name: 'API key' }).getByRole('group').innerText()
    expect(fresh).toMatch(/^hw_/)
    expect(fresh).not.toBe(apiKey)
    await page.keyboard.press('Escape') // it is shown once: only its buttons put it away
    await page.mouse.click(5, 5)
    await shown.getByText(fresh).first().waitFor()
    await shown.getByRole('button', { name: 'Done' }).click()
    await page.getByText(`…${fresh.slice(-4)}`).waitFor()

    await chooseAction(page, 'Delete device')
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(JSON.stringify(await client.listDevices())).toContain(device.id)
    await chooseAction(page, 'Delete device')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete device' }).click()
    await page.waitForURL(`${world.cloudUrl}/devices`)
    await page.getByRole('row', { name: /Old laptop/ }).waitFor({ state: 'detached' })
    expect(JSON.stringify(await client.listDevices())).not.toContain(device.id)
  })

  it('searches on many devices, with a time of their own, and follows how many have answered', async () => {
    const client = createUserClient({ baseUrl: world.cloudUrl })
    for (const name of ['North', 'South']) {
      await client.registerDevice({ body: { name, type: 'server', platform: 'linux' } })
    }
    const page = await world.openPage('devices')
    for (const name of ['North', 'South'])
      await page.getByRole('checkbox', { name: `Choose ${name}` }).check()
    await page.getByRole('button', { name: 'Search on 2' }).click()
    await page.getByRole('textbox', { name: 'Search for' }).fill('*.pdf')
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('textbox', { name: /^Give up after/ }).fill('2')
    await page.getByRole('button', { name: 'Search on 2 devices' }).click()
    await page.getByText('0 of 2 devices answered').waitFor()
    const { results } = await client.listSearches({ query: { limit: '2' } })
    expect(results.map(({ query, device }) => `${query} ${device.name}`).toSorted()).toEqual([
      '*.pdf North',
      '*.pdf South',
    ])
    await screenshot(page, 'search-on-many')
    await page.getByRole('button', { name: '2 devices have not answered yet' }).click()
    await page.getByRole('row', { name: /South/ }).click()
    await page.getByRole('link', { name: 'South' }).first().waitFor()
    await chooseAction(page, 'Cancel search')
    await page.getByRole('link', { name: 'All results' }).click()
    await page.getByText('0 of 2 devices answered · 1 failed').waitFor()
    await page.getByRole('button', { name: 'More actions' }).click()
    const save = page.getByRole('menuitem', { name: 'Save as CSV' })
    expect(await save.getAttribute('href')).toContain(`${results[0]?.groupId}/export?format=csv`)
    await page.getByRole('menuitem', { name: 'Delete search' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete search' }).click()
    await page.waitForURL(`${world.cloudUrl}/searches`)
    const { groups } = await client.listSearchGroups()
    expect(groups.filter(({ query }) => query === '*.pdf')).toEqual([])
  })

  it('cuts off the end of a long name, from whichever side it is read', async () => {
    const name = `${'שלום '.repeat(20)}סוף`
    const device = { name, type: 'server', platform: 'linux', metadata: {} }
    await world.cloud().registerDevice({ userId: 'local' }, device)
    const page = await world.openPage('devices', '/devices', { viewport: { width: 360, height: 800 } })
    const row = page.getByRole('row', { name }).getByRole('rowheader')
    const [left, right] = await row.locator('.truncate').evaluate((box) => {
      const text = document.createTreeWalker(box, NodeFilter.SHOW_TEXT).nextNode()
      if (!text) throw new Error('There is no name.')
      const first = document.createRange()
      first.setStart(text, 0)
      first.setEnd(text, 1)
      const [letter, around] = [first.getBoundingClientRect(), box.getBoundingClientRect()]
      return [letter.left - around.left, around.right - letter.right]
    })
    expect(left).toBeGreaterThan(0)
    expect(right).toBeGreaterThanOrEqual(-1)
  })

  it('says that the server is gone, and goes on by itself once it is back', async () => {
    const body = { name: 'Cellar server', type: 'server', platform: 'linux' }
    await createUserClient({ baseUrl: world.cloudUrl }).registerDevice({ body })
    const page = await world.openPage('devices')
    await page.getByRole('row', { name: /Cellar server/ }).waitFor()
    const connection = page.getByRole('status', { name: 'Connection' })
    await world.stop()
    await connection.getByText('Offline').waitFor()
    await page.getByText('The server does not respond').waitFor()
    await page.getByRole('row', { name: /Cellar server/ }).waitFor() // what was read stays
    await screenshot(page, 'offline')
    await expectAccessible(page)
    await world.restart()
    await connection.getByText('Connected').waitFor()
    await page.getByText('The server does not respond').waitFor({ state: 'detached' })
    await register(page, 'After the restart')
    await page.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('row', { name: /After the restart/ }).waitFor()
  })
})
