import { createMemoryStore } from '@homeward/cloud-core/memory'
import { createUserClient, createDeviceClient } from '@homeward/device-sdk'
import { expect, it } from 'vitest'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectFineInEveryLook, expectNoSidewaysScroll, goTo } from './expect-accessible.ts'

/** What a device may say of itself, by bad luck or on purpose. */
const hostile = {
  markup: '<img src=x onerror="globalThis.hacked=1"><script>globalThis.hacked=1</script>',
  rightToLeft: 'invoice\u202Egpj.exe',
  long: 'n'.repeat(180),
  link: 'javascript:globalThis.hacked=1',
}

const manyDevices = 10_000

/** How long the page may take for what a test waits for, with other tests beside it. */
const within = { timeout: 30_000 }

describeInBrowser(
  'the devices application with whatever devices say',
  { cloudStore: createMemoryStore() },
  (world) => {
    const client = () => createUserClient({ baseUrl: world.cloudUrl })

    /** Registers a device of this name that says hostile things wherever it can say anything, about a search as well. */
    async function registerHostile(name: string) {
      const { device, apiKey } = await client().registerDevice({
        body: {
          name,
          type: hostile.markup.slice(0, 60),
          platform: hostile.link.slice(0, 60),
          metadata: { os: hostile.markup, [hostile.markup]: hostile },
        },
      })
      const scope = ['files', 'apps', 'system', hostile.markup.slice(0, 60)]
      const body = { query: hostile.markup, scope, deviceIds: [device.id] }
      const search = (await client().createSearches({ body })).searchQueries[0]!
      const deviceClient = createDeviceClient({ baseUrl: world.cloudUrl, apiKey })
      await deviceClient.reportSearch({
        queryId: search.id,
        results: {
          files: Object.values(hostile).map((text) => ({
            path: `/${text}`,
            name: text,
            size: 1,
            modified: '2026-01-01T00:00:00Z',
          })),
          apps: [{ name: hostile.markup, path: hostile.rightToLeft, running: true }],
          system: { cpu: hostile.markup, memory: hostile.long, disk: hostile.rightToLeft },
          [hostile.markup.slice(0, 60)]: hostile,
        },
      })
      return { deviceId: device.id, searchId: search.id }
    }

    it('shows hostile text as text: in names, metadata, paths, results and errors', async () => {
      for (const name of [hostile.rightToLeft, hostile.long])
        await registerHostile(name.replaceAll('\u202E', '\u200F'))
      const { deviceId, searchId } = await registerHostile(hostile.markup)
      const page = await world.openPage('devices', '/devices', { viewport: { width: 360, height: 800 } })
      for (const path of [
        '/',
        `/devices/${deviceId}`,
        '/searches',
        '/files',
        '/searches/new',
        `/searches/${searchId}`,
      ]) {
        await page.goto(`${world.cloudUrl}${path}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page
          .getByText(/^Loading|^Reading/)
          .first()
          .waitFor({ state: 'detached' })
        await expectNoSidewaysScroll(page)
        expect(
          await page.evaluate(() => [
            Reflect.get(globalThis, 'hacked'),
            document.querySelectorAll('main script, main img').length,
          ]),
        ).toEqual([undefined, 0])
        expect(await page.locator('a[href^="javascript:"]').count()).toBe(0)
      }
      await page.setViewportSize({ width: 1280, height: 800 })
      await page
        .getByRole('grid', { name: 'Results' })
        .getByText(hostile.markup, { exact: true })
        .first()
        .waitFor()
    })

    it('is accessible on every page and fits every window, light and dark', async () => {
      const name = 'Looked at'
      const { deviceId, searchId } = await registerHostile(name)
      const page = await world.openPage('devices', '/devices')
      await page.getByRole('row', { name: /Looked at/ }).waitFor()
      await expectFineInEveryLook(page)
      for (const [path, shown] of [
        [`/devices/${deviceId}`, page.getByRole('heading', { level: 1, name })],
        ['/searches', page.getByRole('grid', { name: 'Searches' })],
        ['/searches/new', page.getByRole('textbox', { name: 'Search for' })],
        [`/searches/${searchId}`, page.getByRole('grid', { name: 'Results' })],
        ['/files', page.getByText('No files requested yet')],
        ['/nowhere', page.getByText(/no such page|not found/i)],
      ] as const) {
        await goTo(page, path, shown)
        await expectFineInEveryLook(page)
      }
    })

    it('works by keyboard alone, from the list to a search', async () => {
      const { device } = await client().registerDevice({
        body: { name: 'Keyboard', type: 'laptop', platform: 'linux' },
      })
      const page = await world.openPage('devices')
      const row = page.getByRole('row', { name: /Keyboard/ })
      await row.waitFor()
      const isInList = () => page.evaluate(() => document.activeElement?.matches('[role=row]'))
      for (let presses = 0; presses < 40 && !(await isInList()); presses += 1)
        await page.keyboard.press('Tab')
      await page.keyboard.press('End')
      await page.keyboard.press('Home') // the newest stands first
      expect(await row.evaluate((element) => element === document.activeElement)).toBe(true)
      await page.keyboard.press('Space')
      expect(await row.getAttribute('aria-selected')).toBe('true')
      await page.keyboard.press('Enter')
      await page.waitForURL(`${world.cloudUrl}/devices/${device.id}`)
      const link = page.getByRole('link', { name: 'More options' })
      await link.focus()
      await page.keyboard.press('Enter')
      await page.getByRole('textbox', { name: 'Search for' }).waitFor()
      await page.keyboard.type('notes')
      await page.keyboard.press('Enter') // the device of the address is chosen
      await page.getByRole('heading', { name: 'notes' }).waitFor()
      expect((await client().listSearches({ query: { deviceId: device.id } })).results[0]?.query).toBe(
        'notes',
      )
    })

    it('follows a search on more devices than a page of the list has, until the last of them has answered', async () => {
      const deviceIds: string[] = []
      const keys = new Map<string, string>()
      while (deviceIds.length < 101) {
        const body = { name: `many-${deviceIds.length}`, type: 'server', platform: 'linux' }
        const { device, apiKey } = await client().registerDevice({ body })
        keys.set(device.id, apiKey)
        deviceIds.push(device.id)
      }
      await client().createSearches({ body: { query: 'of many', scope: ['files'], deviceIds } })
      const { results: newest, nextCursor = '' } = await client().listSearches({ query: { limit: '100' } })
      const older = (await client().listSearches({ query: { limit: '100', cursor: nextCursor } })).results
      const answer = ({ id: queryId, device }: (typeof newest)[number]) =>
        createDeviceClient({ baseUrl: world.cloudUrl, apiKey: keys.get(device.id) ?? '' }).reportSearch({
          queryId,
          results: { files: [] },
        })
      const page = await world.openPage('devices', `/searches/${newest[0]?.id}?group`)
      await page.getByText('0 of 101 devices answered').waitFor()
      for (const search of newest) await answer(search)
      await page.getByText('100 of 101 devices answered').waitFor()
      for (const search of older.filter(({ query }) => query === 'of many')) await answer(search)
      await page.getByRole('status').getByText('101 of 101 devices answered').waitFor()
    })

    let fleets = 0 // a second try of the next test finds the devices of the first one

    it('stays fluid with ten thousand devices: what is in sight is in the document, and a filter finds one', async () => {
      fleets += 1
      const nameOf = (digits: string) => `fleet-${fleets}-${digits}`
      const names = Array.from({ length: manyDevices }, (_, index) => nameOf(String(index).padStart(5, '0')))
      for (const name of names) {
        await world
          .cloud()
          .registerDevice({ userId: 'local' }, { name, type: 'server', platform: 'linux', metadata: {} })
      }
      const page = await world.openPage('devices')
      const rows = page.getByRole('grid').getByRole('row')
      await page.getByText(/^\d0,\d{3} devices, \d+ online$/).waitFor({ timeout: 40_000 })
      const read = async () => Number(await page.getByRole('grid').getAttribute('aria-rowcount'))
      expect(await read()).toBe(201) // one page of the server's, and the head
      expect(await rows.count()).toBeLessThan(100)
      await screenshot(page, 'ten-thousand-devices')
      await page.getByRole('searchbox', { name: 'Find devices' }).fill(nameOf('07770'))
      await rows.filter({ hasText: nameOf('07770') }).waitFor()
      expect(await rows.count()).toBe(2) // and the head
      const everyOne = page.getByRole('checkbox', { name: 'Choose all' })
      await everyOne.check()
      await page.getByRole('searchbox', { name: 'Find devices' }).fill(nameOf('0888'))
      await rows.filter({ hasText: nameOf('08888') }).waitFor()
      await everyOne.check()
      await page.getByRole('button', { name: 'Search on 11' }).waitFor() // also the one that is out of sight
      await everyOne.uncheck()
      await page.getByRole('button', { name: 'Search on 1', exact: true }).waitFor()
      await page.getByRole('searchbox', { name: 'Find devices' }).fill('')
      // Devices of one millisecond have no order among each other, so nobody knows which of them is in sight.
      await expect.poll(read, within).toBe(201)
      await rows.nth(1).focus()
      await page.keyboard.press('End')
      // At the end of what was read, more is.
      await expect
        .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-rowindex')), within)
        .toBe('201')
      await expect.poll(read, within).toBeGreaterThan(201)
      expect(await rows.count()).toBeLessThan(100)
      const top = () => page.getByRole('grid').evaluate((grid) => grid.scrollTop)
      const atEnd = await top()
      await expect
        .poll(() => page.evaluate(() => JSON.stringify(history.state)), within)
        .toContain(`${atEnd}`)
      await page.keyboard.press('Enter')
      await page.getByRole('link', { name: 'More options' }).waitFor()
      await page.goBack()
      await rows.nth(1).waitFor()
      expect(await top()).toBe(atEnd)
    })
  },
)
