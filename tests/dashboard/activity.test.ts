import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectFineInEveryLook, goTo } from './expect-accessible.ts'
import { useHandDrivenProvider } from './hand-driven-provider.ts'

const provider = useHandDrivenProvider()

describeInBrowser('the activity', { environment: { DEMO_MODEL: 'test/echo' } }, (world) => {
  beforeAll(async () => {
    const prices = { 'test/echo': { inputPerMillion: 1000, outputPerMillion: 1000 } }
    await writeFile(join(world.home, 'data', 'prices.json'), JSON.stringify(prices))
    await world.restart()
    await world.runtime().agents.create({ id: 'parrot', model: 'test/echo' })
    await world.runtime().agents.create({ id: 'mailer', model: 'openai/stand-in', limits: { max_turns: 1 } })
    await world.runtime().run({ agent_id: 'parrot', task: 'Count the invoices' })
    await world.runtime().run({ agent_id: 'parrot', task: `Write a long letter. ${'Very '.repeat(200)}` })
  })

  it('is searched by words, narrowed by time, and sorted by a press on a header', async () => {
    const page = await world.openPage('agents', '/runs')
    const rows = page.getByRole('grid', { name: 'Activity' }).getByRole('row')
    await page.getByRole('row', { name: /Count the invoices/ }).waitFor()
    expect(await rows.nth(1).textContent()).toContain('Write a long letter')
    await page.getByRole('button', { name: 'Started' }).click()
    await expect.poll(() => rows.nth(1).textContent()).toContain('Count the invoices')
    await page.getByRole('button', { name: 'Cost' }).click()
    await expect.poll(() => rows.nth(1).textContent()).toContain('Write a long letter')
    expect(await page.getByRole('columnheader', { name: 'Cost' }).getAttribute('aria-sort')).toBe(
      'descending',
    )
    expect(await rows.nth(1).textContent()).toMatch(/\$\d/)
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-cost')
    await page.getByRole('searchbox', { name: 'Words' }).fill('invoices')
    await page.getByRole('row', { name: /Write a long letter/ }).waitFor({ state: 'hidden' })
    await page.getByText(/^1 run ·/).waitFor()
    await page.getByRole('button', { name: /Time$/ }).click()
    await page.getByRole('option', { name: 'From … to …' }).click()
    await page.getByLabel('To', { exact: true }).fill('2020-01-01T00:00')
    await page.getByText('No run matches these filters').waitFor()
  })

  it('shows how runs were started, and lists one source', async () => {
    await world.runtime().agents.create({ id: 'talker', model: 'test/echo' })
    const page = await world.openPage('agents', '/chat/talker')
    await page.getByRole('textbox', { name: /^Message to/ }).fill('Said in the chat')
    await page.keyboard.press('Enter')
    await page.getByRole('log').getByText('Said in the chat').first().waitFor()
    await goTo(page, '/runs', page.getByRole('row', { name: /Said in the chat/ }))
    await page.getByRole('row', { name: /Said in the chat .* Chat / }).waitFor()
    await page.getByRole('row', { name: /Count the invoices .* API / }).waitFor()
    await page.getByRole('button', { name: /Source$/ }).click()
    await page.getByRole('option', { name: /^API \([1-9]/ }).waitFor()
    await page.getByRole('option', { name: /^Chat \([1-9]/ }).click()
    await page.getByRole('row', { name: /Count the invoices/ }).waitFor({ state: 'hidden' })
    await page.getByRole('row', { name: /Said in the chat/ }).waitFor()
    expect(new URL(page.url()).searchParams.get('source')).toBe('chat')
    await screenshot(page, 'activity-source')
  })

  it('keeps views in the browser, and deletes them', async () => {
    const page = await world.openPage('agents', '/runs?agent_id=parrot&range=week')
    await page.getByRole('button', { name: 'Save view' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Parrot, this week')
    await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click()
    const views = page.getByRole('navigation', { name: 'Views' })
    await views.getByRole('link', { name: 'Failed, last 24 hours' }).click()
    await page.waitForURL('**/runs?status=failed&range=day')
    await page.reload()
    await views.getByRole('link', { name: 'Parrot, this week' }).click()
    await page.waitForURL('**/runs?agent_id=parrot&range=week')
    await views.getByRole('button', { name: 'Delete view Parrot, this week' }).click()
    await views.getByRole('link', { name: 'Parrot, this week' }).waitFor({ state: 'hidden' })
  })

  it('runs the chosen ones again together, and exports what is loaded', async () => {
    const page = await world.openPage('agents', '/runs?agent_id=parrot')
    await page.getByRole('row', { name: /Count the invoices/ }).waitFor()
    await page.getByRole('checkbox', { name: 'Choose all' }).check()
    await page.getByRole('button', { name: 'Run 2 again' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Run again' }).click()
    await page.getByText('2 runs started again').waitFor()
    await expect.poll(() => page.getByRole('gridcell', { name: 'Rerun' }).count()).toBe(2)
    await page.getByText(/^4 runs ·/).waitFor()
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export as CSV' }).click()
    const csv = await readFile(await (await download).path(), 'utf8')
    expect(csv.split('\r\n')[0]).toMatch(/^\uFEFFid,task,agent,/)
    expect(csv.match(/Count the invoices/g)).toHaveLength(2)
  })

  it('leads from a model without a price to the form that gives it one', async () => {
    const running = world.runtime().run({ agent_id: 'mailer', task: 'Send it' })
    const call = await provider.nextCall('Send it')
    call.say('Sent')
    call.end()
    await running
    const page = await world.openPage('agents', '/runs?agent_id=mailer')
    await page.getByRole('row', { name: /Send it/ }).click()
    await page.getByRole('link', { name: 'No price' }).first().click()
    const form = page.getByRole('dialog', { name: 'Price of openai/stand-in' })
    expect(await form.getByRole('combobox', { name: 'Model' }).inputValue()).toBe('openai/stand-in')
    await form.getByRole('textbox', { name: /^Input/ }).fill('2')
    await form.getByRole('textbox', { name: /^Output/ }).fill('8')
    await page.getByRole('button', { name: 'Save price' }).click()
    await page.getByRole('row', { name: /openai\/stand-in/ }).waitFor()
    const { prices } = (await (await fetch(`${world.agentsUrl}/api/prices`)).json()) as {
      readonly prices: readonly { readonly model: string }[]
    }
    expect(prices).toContainEqual({
      model: 'openai/stand-in',
      inputPerMillion: 2,
      outputPerMillion: 8,
      source: 'settings',
    })
  })

  it('is forecast against the budgets of agents, and by the prices of the catalog', async () => {
    const { agents } = world.runtime()
    await agents.update('parrot', { budget: { max_usd: 2, period: 'month' } })
    const page = await world.openPage('agents', '/usage')
    const budgets = page.getByRole('region', { name: 'Budgets' })
    await budgets.getByRole('row', { name: /^parrot US\$2\.00 per month US\$/ }).waitFor()
    await page
      .getByText(/by its end at this pace|so far/)
      .first()
      .waitFor()
    await page.getByRole('columnheader', { name: 'parrot' }).waitFor()
    await expectFineInEveryLook(page)
    await screenshot(page, 'usage-cost')
    await goTo(page, '/settings/prices', page.getByRole('grid', { name: 'Catalog' }))
    await page.getByRole('searchbox', { name: 'Model' }).fill('anthropic/')
    await page
      .getByRole('row', { name: /^anthropic\// })
      .first()
      .waitFor()
    await page
      .getByRole('row', { name: /^openai\/gpt/ })
      .first()
      .waitFor({ state: 'hidden' })
    await expectFineInEveryLook(page)
    await screenshot(page, 'prices')
    await page.setViewportSize({ width: 390, height: 844 })
    await screenshot(page, 'prices-390')
  })

  it('is accessible and fits every window, light and dark', async () => {
    const page = await world.openPage('agents', '/runs')
    await page
      .getByRole('row', { name: /Count the invoices/ })
      .first()
      .waitFor()
    await screenshot(page, 'activity')
    await expectFineInEveryLook(page)
    await page.setViewportSize({ width: 390, height: 844 })
    await screenshot(page, 'activity-390')
  })
})
