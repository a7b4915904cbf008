import { expect, it } from 'vitest'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectAccessible } from './expect-accessible.ts'
import { chooseAction } from './test-pages.ts'

describeInBrowser('access tokens and the audit of the agent platform', {}, (world) => {
  const call = (secret: string, path: string, method = 'GET') =>
    fetch(world.agentsUrl + path, { method, headers: { authorization: `Bearer ${secret}` } })

  it('creates a token for one agent that works, shows it once, and revokes it', async () => {
    const page = await world.openPage('agents', '/settings')
    await page.getByRole('link', { name: 'Access', exact: true }).click()
    await page.getByText('No access tokens yet').waitFor()
    await page.getByRole('button', { name: 'Create token' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create a token' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('nightly')
    const run = dialog.getByRole('checkbox', { name: 'Run' })
    await run.focus()
    await page.keyboard.press('Space')
    await dialog.getByRole('combobox', { name: 'Agents' }).fill('demo')
    await page.keyboard.press('Enter')
    await dialog.getByRole('grid', { name: 'Agents' }).getByText('demo').waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Create token' }).click()
    const secret = await dialog.getByRole('region', { name: 'Token' }).getByRole('group').innerText()
    await dialog.getByRole('button', { name: 'Copy token' }).waitFor()
    await dialog.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('row', { name: /nightly.*Agents.*Read, Run/ }).waitFor()
    expect(await page.content()).not.toContain(secret)
    await page.setViewportSize({ width: 320, height: 700 })
    await expectAccessible(page)
    await screenshot(page, 'access-tokens')

    expect((await call(secret, '/api/agents')).status).toBe(200)
    expect((await call(secret, '/api/agents/demo', 'DELETE')).status).toBe(403)
    await chooseAction(page, 'Revoke token', 'Actions of nightly')
    await page.getByRole('button', { name: 'Revoke token' }).click()
    await page.getByText('No access tokens yet').waitFor()
    expect((await call(secret, '/api/agents')).status).toBe(401)
  })

  it('offers no agents with the scope admin, which reaches all of them', async () => {
    const page = await world.openPage('agents', '/settings/access-tokens')
    await page.getByRole('button', { name: 'Create token' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create a token' })
    await dialog.getByRole('combobox', { name: 'Agents' }).waitFor()
    await dialog.getByText('Admin', { exact: true }).click()
    expect(await dialog.getByRole('combobox', { name: 'Agents' }).count()).toBe(0)
    await dialog.getByRole('button', { name: 'Create token' }).click()
    await dialog.getByText('Enter a name.').waitFor()
    await dialog.getByRole('button', { name: 'Close' }).focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Shift+Tab') // by the keyboard, which would bring a tooltip
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  })

  it('shows what was changed and refused, and only what fits the filters of its address', async () => {
    const page = await world.openPage('agents', '/settings/audit')
    const table = page.getByRole('grid', { name: 'Audit' })
    await table.getByText('Token deleted').waitFor()
    await table.getByText('token:nightly').waitFor()
    await table.getByText('Refused').waitFor()
    await expectAccessible(page)
    await screenshot(page, 'platform-audit')
    await page.goto(`${world.agentsUrl}/settings/audit?action=token.created`)
    await table.getByText('Token created').waitFor()
    expect(await table.getByText('Token deleted').count()).toBe(0)
    await page.getByRole('textbox', { name: 'Actor' }).fill('nobody')
    await page.getByText('No entries match these filters').waitFor()
  })
})
