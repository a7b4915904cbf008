import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createUserClient, createDeviceClient, Secret } from '@homeward/device-sdk'
import { expect, it, onTestFinished } from 'vitest'
import { startDeviceAgent } from '../../apps/homeward/src/device/start-device-agent.ts'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectFineInEveryLook, expectNoSidewaysScroll } from './expect-accessible.ts'
import { chooseAction } from './test-pages.ts'

const modified = '2026-01-01T00:00:00Z'
const fileOf = (name: string, size = 10) => ({ path: `/home/${name}`, name, size, modified })
/** A picture of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg==',
  'base64',
)

describeInBrowser('searches', {}, (world) => {
  const client = () => createUserClient({ baseUrl: world.cloudUrl })

  /** Registers a device. @returns how it answers its pending searches. */
  async function addDevice(name: string, labels: string[]) {
    const { device, apiKey } = await client().registerDevice({
      body: { name, type: 'iot', platform: 'linux' },
    })
    await client().updateDevice({ params: { id: device.id }, body: { labels } })
    const agent = createDeviceClient({ baseUrl: world.cloudUrl, apiKey })
    return {
      id: device.id,
      apiKey,
      async answer(report: Pick<Parameters<typeof agent.reportSearch>[0], 'results' | 'error'>) {
        for (const { id } of (await agent.listPendingSearches()).requests)
          await agent.reportSearch({ queryId: id, ...report })
      },
    }
  }

  it('searches all devices from three of them, and shows one merged list with a row in the searches', async () => {
    const nas = await addDevice('NAS', ['home'])
    const pi = await addDevice('Pi', ['home'])
    await addDevice('Laptop', ['away'])
    const page = await world.openPage('devices', '/searches/new')
    await page.getByRole('heading', { name: 'On all 3 devices' }).waitFor()
    await page.getByRole('textbox', { name: 'Search for' }).fill('invoice')
    await page.getByRole('button', { name: 'Search on 3 devices' }).click()
    await page.getByText('0 of 3 devices answered').waitFor()
    await page.getByText('Waiting for devices').waitFor()
    await nas.answer({ results: { files: [fileOf('invoice-10.pdf', 5), fileOf('invoice-9.pdf', 900)] } })
    await pi.answer({ results: { files: [fileOf('invoice.txt')] } })
    const results = page.getByRole('grid', { name: 'Results' })
    await page.getByRole('heading', { name: '3 results' }).waitFor()
    await results.getByRole('row', { name: /invoice-9\.pdf.*NAS/ }).waitFor()
    await results.getByRole('row', { name: /invoice\.txt.*Pi/ }).waitFor()
    await page.getByRole('button', { name: '2 devices answered' }).waitFor()

    await page.getByRole('button', { name: '1 device has not answered yet' }).click()
    const silent = page.getByRole('grid', { name: 'Devices that have not answered yet' })
    await silent.getByRole('row', { name: /Laptop.*offline, never seen/ }).waitFor()
    await screenshot(page, 'search-on-all')
    await expectFineInEveryLook(page)
    await page.setViewportSize({ width: 390, height: 844 })
    await expectNoSidewaysScroll(page)
    await screenshot(page, 'search-on-all-phone')
    await page.setViewportSize({ width: 1280, height: 800 })

    await page.getByRole('searchbox', { name: 'Filter results' }).fill('nas')
    await page.getByRole('heading', { name: '2 of 3 results' }).waitFor()
    await page.getByRole('button', { name: /Order$/ }).click()
    await page.getByRole('option', { name: 'By name' }).click()
    await expect
      .poll(() => results.getByRole('rowheader').allInnerTexts())
      .toEqual(['invoice-9.pdf', 'invoice-10.pdf'])
    expect(new URL(page.url()).search).toBe('?text=nas&sort=name')
    const [saved] = await Promise.all([page.waitForEvent('download'), chooseAction(page, 'Save as CSV')])
    expect(await readFile(await saved.path(), 'utf8')).toContain('invoice-10.pdf')

    await page.getByRole('link', { name: 'Searches', exact: true }).first().click()
    const row = page.getByRole('grid', { name: 'Searches' }).getByRole('row', { name: /invoice/ })
    await row.getByText('3 devices · 2 answered · 3 files · 1 waiting').waitFor()
    await page.getByRole('searchbox', { name: 'Find searches' }).fill('holiday')
    await page.getByText('No searches match').waitFor()
    await page.getByRole('searchbox', { name: 'Find searches' }).fill('INV')
    await screenshot(page, 'searches')
    await row.click()
    await page.getByRole('heading', { level: 1, name: 'invoice' }).waitFor()

    await page.getByRole('button', { name: 'Search again' }).click()
    await page.getByText('0 of 3 devices answered').waitFor()
    expect((await client().listSearchGroups()).groups).toHaveLength(2)
  })

  it('searches the devices that a filter matches, and says why one failed', async () => {
    const pump = await addDevice('Pump', ['plant'])
    await addDevice('Fan', ['plant'])
    await addDevice('Desk', ['office'])
    const page = await world.openPage('devices', '/searches/new?label=plant&q=manual')
    await page.getByText(/^On 2 of \d+ devices that match$/).waitFor()
    await page.getByRole('button', { name: 'Search on 2 devices' }).click()
    await page.getByText('(all devices labeled plant)').waitFor()
    await pump.answer({ error: 'The disk is gone.' })
    await page.getByText('0 of 2 devices answered · 1 failed').waitFor()
    await page.getByRole('button', { name: '1 device failed' }).click()
    await page.getByRole('row', { name: /Pump.*The disk is gone\./ }).waitFor()
  })

  it('saves a search with a schedule in words, runs it, and shows what changed since the run before', async () => {
    const shelf = await addDevice('Shelf', ['archive'])
    const page = await world.openPage('devices', '/searches/new?label=archive&q=report')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.getByRole('button', { name: 'Save search' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save or schedule this search' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Reports')
    await dialog.getByRole('button', { name: /Runs$/ }).click()
    await page.getByRole('option', { name: 'Every weekday' }).click()
    await dialog.getByRole('textbox', { name: 'Time' }).fill('7:30')
    await expectNoSidewaysScroll(page)
    await screenshot(page, 'save-search')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Reports' }).waitFor()
    await page.getByText(/^every weekday at 07:30/).waitFor()
    const { savedSearches } = await client().listSavedSearches()
    expect(savedSearches[0]).toMatchObject({ schedule: '30 7 * * 1-5', filter: { labels: ['archive'] } })

    for (const files of [[fileOf('old-report.txt')], [fileOf('new-report.txt')]]) {
      await page.getByRole('button', { name: 'Run now' }).click()
      await page.getByText('0 of 1 device answered').waitFor()
      await shelf.answer({ results: { files } })
      await page.getByText('1 of 1 device answered').first().waitFor()
      await page.getByRole('link', { name: 'Compare with last time' }).click()
    }
    const changes = page.getByRole('grid', { name: 'Changes' })
    await changes.getByRole('row', { name: /new-report\.txt.*added.*Shelf/ }).waitFor()
    await changes.getByRole('row', { name: /old-report\.txt.*removed/ }).waitFor()
    await screenshot(page, 'saved-search')
    await expectFineInEveryLook(page)
    await page.goto(`${world.cloudUrl}/searches/saved`)
    await page.getByRole('row', { name: /Reports.*every weekday at 07:30/ }).waitFor()
    await expectFineInEveryLook(page)
  })

  it('shows a file beside the results: a text, a picture, a PDF; runs nothing, and saves in one step', async () => {
    const { id, apiKey } = await addDevice('Camera', ['photos'])
    await writeFile(join(world.deviceFolder, 'trip.png'), pixel)
    await writeFile(join(world.deviceFolder, 'trip.pdf'), '%PDF-1.4')
    await writeFile(
      join(world.deviceFolder, 'trip.html'),
      '<script>globalThis.hacked = 1</script>Forty a night.',
    )
    const device = await startDeviceAgent({
      cloudUrl: world.cloudUrl,
      apiKey: new Secret(apiKey),
      roots: [world.deviceFolder],
      stateFolder: join(world.home, 'camera'),
      intervalMs: 200,
      log() {},
    })
    onTestFinished(() => device.close())
    const body = { query: 'trip', scope: ['files'], deviceIds: [id] }
    const { groupId } = await client().createSearches({ body })
    const page = await world.openPage('devices', `/searches/groups/${groupId}`)
    async function get(name: string) {
      await page.getByRole('grid', { name: 'Results' }).getByRole('rowheader', { name }).click()
      const panel = page.getByRole('complementary', { name })
      await panel.getByRole('button', { name: 'Get file' }).click()
      return panel
    }

    const text = await get('trip.html')
    await text.getByText('<script>globalThis.hacked = 1</script>Forty a night.').waitFor()
    expect(await page.evaluate(() => Reflect.get(globalThis, 'hacked'))).toBeUndefined()
    await text.getByText(join(world.deviceFolder, 'trip.html')).waitFor()
    await text.getByRole('button', { name: 'Copy path' }).waitFor()
    await screenshot(page, 'preview-text')
    const [html] = await Promise.all([
      page.waitForEvent('download'),
      text.getByRole('link', { name: /^Download/ }).click(),
    ])
    expect(html.suggestedFilename()).toBe('trip.html')
    await expectFineInEveryLook(page)

    const shown = (await get('trip.png')).getByRole('img', { name: 'trip.png' })
    await expect.poll(() => shown.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(1)
    await screenshot(page, 'preview-picture')

    const frame = (await get('trip.pdf')).getByTitle('Content of trip.pdf')
    expect(await frame.getAttribute('src')).toMatch(/^blob:/)
    await page.getByRole('row', { name: /trip\.png/ }).focus()
    await page.keyboard.press('Escape')
    await frame.waitFor({ state: 'detached' })
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('row', { name: /trip\.png/ }).click()
    await page.getByRole('dialog', { name: 'trip.png' }).getByRole('img', { name: 'trip.png' }).waitFor()
    await expectNoSidewaysScroll(page)
  })

  it('says what was tried where nothing is found, and searches for any of the words', async () => {
    const cellar = await addDevice('Cellar', ['wine'])
    const body = { query: 'acme invoice', scope: ['files'], deviceIds: [cellar.id] }
    const { groupId } = await client().createSearches({ body })
    await cellar.answer({ results: { files: [] } })
    const page = await world.openPage('devices', `/searches/groups/${groupId}`)
    await page.getByText(/all of these words in the name or path: acme invoice\./).waitFor()
    await expectFineInEveryLook(page)
    await page.getByRole('button', { name: 'Any of these words' }).click()
    await page.getByRole('heading', { level: 1, name: '*{acme,invoice}*' }).waitFor()
    await cellar.answer({ results: { files: [fileOf('invoice.txt')] } })
    await page.getByRole('row', { name: /invoice\.txt/ }).waitFor()
  })
})
