import { expect, it } from 'vitest'
import { describeInBrowser } from './browser.ts'
import { chooseAction } from './test-pages.ts'

describeInBrowser('versions of an agent', { environment: { DEMO_MODEL: 'test/echo' } }, (world) => {
  it('are shown with what changed, and restored', async () => {
    const { agents } = world.runtime()
    await agents.create({ id: 'clerk', model: 'test/echo', personality: 'Answer in German, please.' })
    await agents.update('clerk', { personality: 'Answer in English, please.' })
    const page = await world.openPage('agents', '/agents/clerk')
    await page.getByRole('link', { name: 'Versions' }).click()
    await page.getByText('Version 2, in use').waitFor()
    expect(await page.locator('del').allInnerTexts()).toEqual(['German,'])
    expect(await page.locator('ins').allInnerTexts()).toEqual(['English,'])
    await page.getByRole('button', { name: 'Restore version 1' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Restore' }).click()
    await page.getByText('Version 3, in use').waitFor()
    expect(await agents.find('clerk')).toMatchObject({ personality: 'Answer in German, please.' })
  })

  it('are tried on a run before they are made: its answer then and now, and no tool is called', async () => {
    const runtime = world.runtime()
    await runtime.agents.create({ id: 'parrot', model: 'test/echo' })
    const { run_id } = await runtime.run({ agent_id: 'parrot', task: 'Is it raining?' })
    const page = await world.openPage('agents', `/runs/${run_id}`)
    await page.getByRole('button', { name: 'Good answer' }).click()
    await page.getByRole('button', { name: 'Add a comment' }).click()
    await page.getByLabel('What was good?').fill('Short')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Good: Short').waitFor()

    await chooseAction(page, 'Try with another agent setting')
    await page.getByText('The run that you chose.').waitFor()
    await page.getByLabel('Instructions').fill('Be brief.')
    await page.getByRole('button', { name: 'Compare' }).click()
    await page.getByText('No tool was called.').waitFor()
    await page.getByRole('button', { name: /Is it raining/ }).waitFor()
    const then = page.getByRole('region', { name: 'Then' })
    await then.getByText('Is it raining?').waitFor()
    await page.getByRole('button', { name: 'Apply to the agent' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Change the agent' }).click()
    await page.getByText('parrot changed').waitFor()

    await page.goto(`${world.agentsUrl}/runs?feedback=down`)
    await page.getByText('No run matches these filters').waitFor()
    await page.goto(`${world.agentsUrl}/runs?feedback=up`)
    await page.getByRole('row', { name: /Is it raining/ }).waitFor()
  })
})
