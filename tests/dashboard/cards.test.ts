import { expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { describeInBrowser } from './browser.ts'

/** Labels and values of cards of which a part cannot be seen. */
const cutTexts = (page: Page, selector: string) =>
  page
    .locator(selector)
    .evaluateAll((all) =>
      all
        .filter((each) => each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight)
        .map((each) => each.textContent),
    )

describeInBrowser('cards on a narrow screen', {}, (world) => {
  it('show their labels and the time of the next run whole', async () => {
    const { agents, tasks, conversations } = world.runtime()
    await agents.create({
      id: 'early',
      model: 'test/echo',
      schedule: '30 8 29 9 *',
      timezone: 'America/Argentina/Buenos_Aires',
    })
    await world.runtime().run({ agent_id: 'early', task: 'Rise' })
    await tasks.create({ agent_id: 'early', task: 'Shine' })
    await conversations.append({ agent_id: 'early', content: 'Morning' })
    for (const path of ['/runs', '/tasks', '/conversations', '/schedules']) {
      const page = await world.openPage('agents', path, { viewport: { width: 360, height: 800 } })
      await page.locator('[role=row] .data-table-label').first().waitFor()
      expect(await cutTexts(page, '.data-table-label'), path).toEqual([])
    }
    const page = await world.openPage('agents', '/schedules', { viewport: { width: 360, height: 800 } })
    await page
      .getByRole('row', { name: /early/ })
      .getByText(/\d\d:\d\d/)
      .waitFor()
    expect(await cutTexts(page, '[role=gridcell]:has(time), [role=gridcell]:has(time) *')).toEqual([])
  })
})
