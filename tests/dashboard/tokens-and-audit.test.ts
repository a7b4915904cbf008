import { expect, it } from 'vitest'
import { describeInBrowser } from './browser.ts'
import { expectAccessible } from './expect-accessible.ts'
import { chooseAction } from './test-pages.ts'

describeInBrowser('API tokens and the audit', {}, (world) => {
  it('creates a token that works, shows it once, and revokes it', async () => {
    const page = await world.openPage('devices', '/api-tokens')
    await page.getByText('No access tokens yet').waitFor()
    await page.getByRole('button', { name: 'Create token' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create a token' })
    await dialog.getByRole('button', { name: /For$/ }).click()
    await page.getByRole('option', { name: 'Devices' }).click()
    await dialog.getByRole('textbox', { name: 'Name' }).fill('nightly')
    await dialog.getByText('Audit', { exact: true }).click()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Create token' }).click()
    const secret = await dialog.getByRole('region', { name: 'Token' }).getByRole('group').innerText()
    expect(secret).toMatch(/^hwt_[\w-]{43}$/)
    await dialog.getByRole('button', { name: 'Copy token' }).waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('row', { name: /nightly.*Devices.*Read, Audit/ }).waitFor()
    expect(await page.content()).not.toContain(secret)

    const call = () =>
      fetch(`${world.cloudUrl}/api/audit`, { headers: { authorization: `Bearer ${secret}` } })
    expect((await call()).status).toBe(200)
    await chooseAction(page, 'Revoke token', 'Actions of nightly')
    await page.getByRole('button', { name: 'Revoke token' }).click()
    await page.getByText('No access tokens yet').waitFor()
    expect((await call()).status).toBe(401)
  })

  it('shows what was done, and only what fits the filters of its address', async () => {
    const page = await world.openPage('devices', '/audit')
    const table = page.getByRole('grid', { name: 'Audit' })
    await table.getByText('Token deleted').waitFor()
    await expectAccessible(page)
    await page.goto(`${world.cloudUrl}/audit?action=token%3Acreated`)
    await table.getByText('Token created').waitFor()
    expect(await table.getByText('Token deleted').count()).toBe(0)
    await page.getByRole('textbox', { name: 'Actor' }).fill('nobody')
    await page.getByText('No entries match these filters').waitFor()
  })
})
