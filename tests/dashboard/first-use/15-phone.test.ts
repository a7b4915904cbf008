import { createUserClient } from '@homeward/device-sdk'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { describeInBrowser, screenshot } from '../browser.ts'
import { expectNoSidewaysScroll } from '../expect-accessible.ts'

const phone = { viewport: { width: 390, height: 844 } }
const within = { timeout: 30_000 }
const local = { userId: 'local' }

/** Rows of a list that are whole in the window. */
const rowsInSight = (page: Page) =>
  page.locator('[role=row][data-index]').evaluateAll(
    (rows) =>
      rows.filter((row) => {
        const { top, bottom } = row.getBoundingClientRect()
        return top >= 0 && bottom <= window.innerHeight
      }).length,
  )

describeInBrowser(
  'finding 15: the pages on a phone',
  { environment: { DEMO_MODEL: 'test/echo' } },
  (world) => {
    beforeAll(async () => {
      const runtime = world.runtime()
      for (let index = 0; index < 12; index += 1) {
        await runtime.run({ agent_id: 'demo', task: `Count the invoices of month ${index}` })
        await runtime.tasks.create({ agent_id: 'demo', task: `Sort the letters of week ${index}` })
        await runtime.agents.create({ id: `helper-${index}`, model: 'test/echo' })
      }
      for (let index = 0; index < 60; index += 1) {
        const device = { name: `Till ${index}`, type: 'iot', platform: 'linux', labels: ['shop'] }
        await world.cloud().registerDevice(local, device)
      }
      const client = createUserClient({ baseUrl: world.cloudUrl })
      for (let index = 0; index < 12; index += 1)
        await client.createSearches({ body: { query: `invoice ${index}`, scope: ['files'], filter: {} } })
    })

    it('shows at least six entries of each list on the first screen, and the page scrolls', async () => {
      const page = await world.openPage('agents', '/', phone)
      for (const [path, label] of [
        ['/runs', 'Activity'],
        ['/devices', 'Devices'],
        ['/conversations?by=all', 'Conversations'],
        ['/searches', 'Searches'],
        ['/agents', 'Agents'],
        ['/tasks', 'Tasks'],
      ] as const) {
        await page.goto(`${world.agentsUrl}${path}`)
        const grid = page.getByRole('grid', { name: label })
        await grid.getByRole('row').nth(6).waitFor()
        await expect
          .poll(() => rowsInSight(page), { message: path, timeout: 30_000 })
          .toBeGreaterThanOrEqual(6)
        expect(
          await grid.evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight),
          path,
        ).toBe(0)
        await expectNoSidewaysScroll(page)
        await screenshot(page, `phone${path.replaceAll('/', '-')}`)
      }
    })

    it('unfolds the filters on request, and counts those that narrow the list', async () => {
      const page = await world.openPage('agents', '/runs', phone)
      const status = page.getByRole('button', { name: /Status$/ })
      await page.getByRole('searchbox', { name: 'Words' }).waitFor()
      expect(await status.isVisible()).toBe(false)
      await page.getByRole('button', { name: 'Filters' }).click()
      await status.click()
      await page.getByRole('option', { name: 'failed' }).click()
      await page.getByRole('button', { name: 'Filters (1)' }).click()
      await status.waitFor({ state: 'hidden' })
      await page.getByText('No run matches these filters').waitFor()
    })

    it('finds the place in a long list again after a look at one entry', async () => {
      const page = await world.openPage('devices', '/devices', phone)
      const grid = page.getByRole('grid', { name: 'Devices' })
      const rows = grid.getByRole('row')
      await rows.nth(6).waitFor()
      expect(await rows.count()).toBeLessThan(60)
      await rows.nth(1).focus()
      await page.keyboard.press('End')
      const focused = () => page.evaluate(() => document.activeElement?.getAttribute('data-index'))
      await expect.poll(focused, within).toBe('59')
      const top = await page.evaluate(() => scrollY)
      expect(top).toBeGreaterThan(1000)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: /^Till/ }).waitFor()
      await page.goBack()
      await rows.nth(1).waitFor()
      await expect.poll(() => page.evaluate(() => scrollY), within).toBe(top)
    })

    it('has the box of an empty chat at the lower edge, and the conversations one tap away', async () => {
      const page = await world.openPage('agents', '/chat/demo', phone)
      const box = page.getByRole('textbox', { name: /^Message to/ })
      await box.waitFor()
      const bottom = () => box.evaluate((field) => field.getBoundingClientRect().bottom)
      await expect.poll(bottom, within).toBeGreaterThan(phone.viewport.height * 0.8)
      await box.fill('Which invoices are open?')
      await page.keyboard.press('Enter')
      await page.getByRole('log').getByText('Which invoices are open?').waitFor()
      await page.getByRole('link', { name: 'Conversations' }).click()
      await page.getByRole('row', { name: /Which invoices are open/ }).click()
      await page.getByRole('heading', { level: 1 }).waitFor()
    })
  },
)
