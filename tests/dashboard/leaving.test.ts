import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser } from './browser.ts'
import { reloadAsking } from './reload-asking.ts'
import { chooseAction } from './test-pages.ts'

const question = (page: Page, name: string) => page.getByRole('alertdialog', { name })

describeInBrowser('leaving what is not saved', {}, (world) => {
  /** Opens the list of devices with a page before it, and the window of a registration. */
  async function openRegistration() {
    const page = await world.openPage('devices', '/searches')
    await page.getByRole('navigation').getByRole('link', { name: 'Devices', exact: true }).click()
    await chooseAction(page, 'Register device', 'More ways to add a device')
    const dialog = page.getByRole('dialog', { name: 'Register a device' })
    await dialog.getByLabel('Name').fill('Attic')
    return { page, dialog }
  }

  it('asks before the way back closes a window in which something was written', async () => {
    const { page, dialog } = await openRegistration()
    await page.evaluate(() => history.back())
    const asked = question(page, 'Leave without saving?')
    await asked.getByRole('button', { name: 'Cancel' }).click()
    await asked.waitFor({ state: 'detached' })
    expect(await dialog.getByLabel('Name').inputValue()).toBe('Attic')
    expect(new URL(page.url()).pathname).toBe('/devices')

    await page.evaluate(() => history.back())
    await asked.getByRole('button', { name: 'Discard changes' }).click()
    await page.waitForURL('**/searches')
    await dialog.waitFor({ state: 'detached' })
  })

  it('asks before the way back takes away a key that is shown once', async () => {
    const { page, dialog } = await openRegistration()
    for (const [name, value] of [
      ['Type', 'server'],
      ['Platform', 'linux'],
    ] as const) {
      await dialog.getByRole('combobox', { name }).fill(value)
      await page.keyboard.press('Tab')
    }
    await dialog.getByRole('button', { name: 'Register', exact: true }).click()
    const key = dialog.getByRole('region', { name: 'API key' })
    await key.waitFor()
    await page.evaluate(() => history.back())
    const asked = question(page, 'Leave this page?')
    await asked.getByText('You will not be able to see this again').waitFor()
    await asked.getByRole('button', { name: 'Cancel' }).click()
    await asked.waitFor({ state: 'detached' })
    expect(await key.isVisible()).toBe(true)
    expect(await reloadAsking(page)).toBe(true)
  })

  it('asks before a search that was written is lost, and not once it is begun', async () => {
    const cellar = { name: 'Cellar', type: 'server', platform: 'linux', metadata: {} }
    const { device } = await world.cloud().registerDevice({ userId: 'local' }, cellar)
    const page = await world.openPage('devices', `/searches/new?device=${device.id}`)
    const words = page.getByLabel('Search for')
    await words.waitFor()
    expect(await reloadAsking(page)).toBe(false)
    await words.fill('invoice')
    await page.getByRole('navigation').getByRole('link', { name: 'Files' }).click()
    await question(page, 'Leave without saving?').getByRole('button', { name: 'Cancel' }).click()
    expect(await words.inputValue()).toBe('invoice')
    expect(await reloadAsking(page)).toBe(true)
    await words.fill('invoice')
    await page.getByRole('button', { name: 'Search', exact: true }).click()
    await page.waitForURL((url) => url.pathname !== '/searches/new')
    expect(await reloadAsking(page)).toBe(false)
  })
})
