import { expect, it } from 'vitest'
import { startProtectedServer } from '../../packages/agent-runtime/src/tools/mcp/testing/protected-server.ts'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectAccessible } from './expect-accessible.ts'

describeInBrowser('MCP servers', {}, (world) => {
  it('adds a server, leads a person through an authorization with PKCE, shows its tools, and deletes it', async () => {
    await using shop = await startProtectedServer()
    const page = await world.openPage('agents', '/mcp-servers')
    await page.getByText('No MCP servers').waitFor()
    await page.getByRole('button', { name: 'Add a server' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('shop')
    await page.getByRole('button', { name: /Kind/ }).click()
    await page.getByRole('option', { name: 'Address' }).click()
    await page.getByRole('textbox', { name: 'URL' }).fill(shop.url)
    await page.getByRole('button', { name: /OAuth/ }).click()
    await page.getByRole('option', { name: 'Sign-in by a person' }).click()
    await page.getByText(`${world.agentsUrl}/mcp-servers/callback`).waitFor()
    await page.getByRole('textbox', { name: 'Client id' }).fill('person')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Save server' }).click()

    await page.getByRole('button', { name: 'Test server' }).click()
    await page.getByText('it is not authorized').waitFor()
    await page.getByRole('button', { name: 'Authorize server' }).click()
    await page.getByText('shop is authorized.').waitFor()
    world.forgetProblems(/^request: .*\/(?:auth|interaction)/) // of the identity provider
    expect(new URL(page.url()).search).toBe('')
    expect(shop.grants).toEqual(['authorization_code'])
    await page.getByRole('link', { name: 'Open MCP servers' }).click()
    await page.getByRole('button', { name: 'Test server' }).click()
    await page.getByText('2 tools found').waitFor()
    await page.getByRole('button', { name: 'Authorize server again' }).waitFor()
    await page.setViewportSize({ width: 320, height: 700 })
    await expectAccessible(page)
    await screenshot(page, 'mcp-servers')

    await page.getByRole('button', { name: 'Delete server' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete server' }).click()
    await page.getByText('No MCP servers').waitFor()
  })

  it('says that access was not given', async () => {
    const page = await world.openPage('agents', '/mcp-servers/callback?error=access_denied&state=x')
    await page.getByText('Access was denied').waitFor()
    await expectAccessible(page)
  })
})
