import { beforeAll, expect, it } from 'vitest'
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

const narrow = { width: 360, height: 800 }

describeInBrowser('cards on a narrow screen', {}, (world) => {
  beforeAll(async () => {
    await world.runtime().agents.create({
      id: 'early',
      model: 'test/echo',
      schedule: '30 8 29 9 *',
      timezone: 'America/Argentina/Buenos_Aires',
    })
  })

  it('show their labels and the time of the next run whole', async () => {
    const page = await world.openPage('agents', '/schedules', { viewport: narrow })
    await page.getByRole('row', { name: /early/ }).locator('time').waitFor()
    expect(await cutTexts(page, '.data-table-label')).toEqual([])
    expect(await cutTexts(page, '[role=gridcell]:has(time), [role=gridcell]:has(time) *')).toEqual([])
  })

  it('show states and times whole, beside a title that may be cut', async () => {
    const { tasks, conversations } = world.runtime()
    const long = 'Rise and shine, and have the coffee ready before anybody else is awake'
    await world.runtime().run({ agent_id: 'early', task: long })
    await tasks.create({ agent_id: 'early', task: long })
    await conversations.append({ agent_id: 'early', content: long })
    for (const path of ['/runs', '/tasks', '/conversations?by=all']) {
      const page = await world.openPage('agents', path, { viewport: narrow })
      await page.getByRole('row', { name: /Rise/ }).first().waitFor()
      expect(await cutTexts(page, '[role=rowheader] + [role=gridcell]'), path).toEqual([])
    }
  })
})
