import { expect, it } from 'vitest'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectFineInEveryLook } from './expect-accessible.ts'

const within = { timeout: 30_000 }

describeInBrowser('making an agent', { environment: { DEMO_MODEL: 'test/echo' } }, (world) => {
  it('takes a template and a model, refuses what cannot run, and tests it beside its form', async () => {
    const page = await world.openPage('agents', '/agents/_new')
    const name = page.getByRole('textbox', { name: 'Name', exact: true })
    const model = page.getByRole('combobox', { name: /^Model/ })
    await page.getByRole('button', { name: /Template$/ }).click()
    await page.getByRole('option').nth(1).click()
    const instructions = page.getByRole('textbox', { name: 'Instructions' })
    await expect.poll(() => instructions.inputValue(), within).not.toBe('')
    await name.fill('Word helper')
    expect(await page.getByRole('spinbutton', { name: 'Turns' }).isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Limits and budget' }).click()
    await page.getByRole('textbox', { name: 'Turns' }).waitFor()
    await expectFineInEveryLook(page)
    await screenshot(page, 'new-agent')

    await model.fill('gpt-4o-mini')
    await model.press('Tab') // the list hides the rest of the page while it is open
    await page.getByRole('button', { name: 'Create agent' }).click()
    await page.getByText(/"gpt-4o-mini" names no provider/).waitFor(within)
    await expect.poll(() => model.evaluate((field) => field === document.activeElement), within).toBe(true)

    await model.fill('test/echo')
    await model.press('Tab') // the list hides the rest of the page while it is open
    await page.getByRole('button', { name: 'Create agent' }).click()
    await page.getByRole('heading', { level: 1, name: 'Word helper' }).waitFor(within)
    await page.getByRole('textbox', { name: 'Test message' }).fill('Are you there?')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page
      .getByRole('log', { name: 'Test of Word helper' })
      .getByRole('link', { name: 'Timeline' })
      .waitFor(within)
    await instructions.fill('You answer with one word.')
    await page.getByText('The answer comes from the saved agent.').waitFor()
    await expectFineInEveryLook(page)
    await screenshot(page, 'agent-test')
    page.on('dialog', (dialog) => void dialog.accept())
  })
})
