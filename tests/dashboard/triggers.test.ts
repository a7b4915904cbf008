import { expect, it } from 'vitest'
import { describeInBrowser } from './browser.ts'
import { chooseAction } from './test-pages.ts'

describeInBrowser('triggers', { environment: { DEMO_MODEL: 'test/echo' } }, (world) => {
  it('are created with a secret that is shown once, and list the calls with their tasks', async () => {
    await world.runtime().agents.create({ id: 'porter', model: 'test/echo' })
    const page = await world.openPage('agents', '/triggers')
    await page.getByRole('button', { name: 'Create the first one' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name').fill('Doorbell')
    await dialog.getByRole('button', { name: /Agent/ }).click()
    await page.getByRole('option', { name: 'porter' }).click()
    await dialog.getByRole('button', { name: /proven by/ }).click()
    await page.getByRole('option', { name: /secret itself/ }).click()
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    const secret = await dialog
      .getByRole('region', { name: 'Secret of the trigger' })
      .locator('code')
      .innerText()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('heading', { level: 1, name: 'Doorbell' }).waitFor()
    await page.getByText('No calls yet').waitFor()

    const [trigger] = await world.runtime().triggers.list()
    const called = await fetch(`${world.agentsUrl}/agent-platform/api/hooks/${trigger?.id}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      body: '{"door": "front"}',
    })
    expect(called.status).toBe(202)
    await page.reload()
    await page.getByRole('row', { name: /Started a task/ }).waitFor()
    await page.getByRole('link', { name: 'Open task' }).waitFor()

    await chooseAction(page, 'Delete trigger')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete trigger' }).click()
    await page.getByText('No triggers yet').waitFor()
  })
})
