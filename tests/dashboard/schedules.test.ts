import { expect, it } from 'vitest'
import { describeInBrowser } from './browser.ts'
import { expectFineInEveryLook } from './expect-accessible.ts'
import { chooseAction } from './test-pages.ts'

describeInBrowser('schedules of their own', { environment: { DEMO_MODEL: 'test/echo' } }, (world) => {
  it('are created in words, run now, disabled and deleted', async () => {
    const page = await world.openPage('agents', '/schedules')
    await page.getByText('No schedules yet').waitFor()
    await page.getByRole('button', { name: 'New schedule' }).click()
    const dialog = page.getByRole('dialog', { name: 'New schedule' })
    await dialog.getByRole('button', { name: /Agent/ }).click()
    await page.getByRole('option', { name: 'Demo' }).click()
    await dialog.getByRole('textbox', { name: 'Task' }).fill('List new files')
    await dialog.getByRole('textbox', { name: 'Time', exact: true }).fill('08:30')
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Morning')
    await dialog.getByRole('button', { name: 'Create schedule' }).click()
    await page.getByRole('row', { name: /Morning.*Every weekday at 08:30/ }).click()

    await page.getByRole('heading', { name: 'Morning', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Run now' }).click()
    await page.waitForURL('**/tasks/*')
    await page.goBack()
    await page.getByRole('listitem').filter({ hasText: 'started by hand' }).getByText('completed').waitFor()
    await page.getByRole('button', { name: 'Disable' }).click()
    await page.getByRole('button', { name: 'Enable' }).waitFor()
    await expectFineInEveryLook(page)
    const schedules = await world.runtime().schedules.list()
    expect(schedules).toMatchObject([{ agent_id: 'demo', cron: '30 8 * * 1-5', enabled: false }])
    await chooseAction(page, 'Delete schedule')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete schedule' }).click()
    await page.getByText('No schedules yet').waitFor()
  })
})
