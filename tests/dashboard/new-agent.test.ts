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

  it('creates an agent and sends it a first message, by the keyboard alone', async () => {
    const page = await world.openPage('agents', '/agents/_new')
    const model = page.getByRole('combobox', { name: /^Model/ })
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Quick one')
    const send = page.getByRole('button', { name: 'Create and send' })
    expect(await send.isDisabled()).toBe(true)
    await page.getByRole('textbox', { name: 'Test message' }).fill('Are you new?')
    await model.fill('nothing')
    await model.press('Tab') // the list hides the rest of the page while it is open
    await expectFineInEveryLook(page)
    await screenshot(page, 'new-agent-test')

    // What cannot run is not created, and the message stays.
    await send.press('Enter')
    await page.getByText(/"nothing" names no provider/).waitFor(within)
    await model.fill('test/echo')
    await model.press('Tab')
    await send.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Quick one' }).waitFor(within)
    const log = page.getByRole('log', { name: 'Test of Quick one' })
    await log.getByRole('link', { name: 'Timeline' }).waitFor(within)
    expect(await log.textContent()).toContain('Are you new?')
    await screenshot(page, 'new-agent-sent')
    const { runs } = (await (await fetch(`${world.agentsUrl}/api/runs?source=test`)).json()) as {
      readonly runs: readonly { readonly task: string }[]
    }
    expect(runs.filter(({ task }) => task === 'Are you new?')).toHaveLength(1)
  })
})
