import { afterAll, expect, it } from 'vitest'
import {
  type IdentityProvider,
  startIdentityProvider,
} from '../../packages/cloud-core/src/oidc/testing/identity-provider.ts'
import { describeInBrowser } from './browser.ts'
import { expectAccessible } from './expect-accessible.ts'
import { chooseAction } from './test-pages.ts'

/** With what URLs and names of subprotocols write differently. */
const token = "a(long)/token+=%'~"

describeInBrowser('the agents application of a server with an access token', {}, (world) => {
  it('A19: asks for the token, says when it is wrong, and keeps it in the tab alone', async () => {
    await world.runtime().settings.update({ api_token: token })
    const page = await world.openPage('agents', '/tasks')
    const field = page.getByRole('textbox', { name: 'Access token' })
    await field.fill('wrong')
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The server rejected this token.').waitFor()

    await field.fill(token)
    const [socket] = await Promise.all([page.waitForEvent('websocket'), page.keyboard.press('Enter')])
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor()
    expect(socket.url()).toBe(`${world.agentsUrl.replace('http', 'ws')}/agent-platform/api/events`)
    // Without the right token there would be no frame.
    const frame = socket.waitForEvent('framereceived')
    await world.runtime().tasks.create({ agent_id: 'demo', task: 'Hello' })
    expect(String((await frame).payload)).toContain('"type":"task.created"')

    expect(page.url()).toBe(`${world.agentsUrl}/tasks`)
    expect(await page.evaluate(() => [JSON.stringify(localStorage), document.cookie].join())).not.toContain(
      'long',
    )
    await page.reload()
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor()
    const other = await world.openPage('agents', '/tasks')
    await other.getByRole('textbox', { name: 'Access token' }).waitFor()
    await world.runtime().settings.update({ api_token: '' })
  })

  it('shows the owner of a token what a user may see, and that the server answers', async () => {
    const runtime = world.runtime()
    await runtime.agents.create({ id: 'family', name: 'Family', model: 'test/echo' })
    const { secret } = await runtime.tokens.create({
      name: 'phone of ann',
      scopes: ['run', 'read', 'approve'],
      user_id: 'ann',
    })
    await runtime.settings.update({ api_token: token })
    const page = await world.openPage('agents', '/')
    await page.getByRole('textbox', { name: 'Access token' }).fill(secret)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: /^Chat with / }).waitFor()
    await page.getByRole('status', { name: 'Connection' }).getByText('Connected').waitFor()
    const navigation = page.getByRole('navigation', { name: 'Pages' })
    await navigation.getByRole('link', { name: 'Activity', exact: true }).waitFor()
    for (const name of ['Home', 'Devices', 'Agents', 'Automations'])
      expect(await navigation.getByRole('link', { name, exact: true }).count(), name).toBe(0)
    await runtime.settings.update({ api_token: '' })
  })

  it('asks over the page when the token has run out: what was being written is there again afterwards', async () => {
    const page = await world.openPage('agents', '/memory')
    await page.getByRole('button', { name: 'Write a memory' }).click()
    await page.getByRole('textbox', { name: 'Text' }).fill('Half of a sen')
    await world.runtime().settings.update({ api_token: token })
    // coming back to the window has the page read what is old
    await expect
      .poll(async () => {
        await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
        return page.getByRole('textbox', { name: 'Access token' }).count()
      })
      .toBe(1)
    await page.getByRole('textbox', { name: 'Access token' }).fill(token)
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: 'Access token' }).waitFor({ state: 'detached' })
    expect(await page.getByRole('textbox', { name: 'Text' }).inputValue()).toBe('Half of a sen')
  })
})

/** Starts with the servers, and ends after them. */
let provider: IdentityProvider | undefined
afterAll(() => provider?.[Symbol.asyncDispose]())

const environment = async () => {
  provider = await startIdentityProvider()
  return { OIDC_ISSUER: provider.issuer, OIDC_AUDIENCE: 'homeward' }
}

describeInBrowser(
  'the devices application of a server with an identity provider',
  { environment },
  (world) => {
    it('C23: takes a token of the provider, shows what is its user’s, and asks again once it is refused', async () => {
      const page = await world.openPage('devices', '/devices')
      const field = page.getByRole('textbox', { name: 'Access token' })
      await field.fill((await provider?.token('elsewhere')) ?? '')
      await page.keyboard.press('Enter')
      await page.getByText('The server rejected this token.').waitFor()

      const mine = (await provider?.token()) ?? ''
      await field.fill(mine)
      await page.keyboard.press('Enter')
      await page.getByText('No devices yet').waitFor()
      await chooseAction(page, 'Register device', 'More ways to add a device')
      const dialog = page.getByRole('dialog', { name: 'Register a device' })
      await dialog.getByRole('textbox', { name: 'Name' }).fill('Mine')
      await dialog.getByRole('button', { name: 'Register' }).click()
      await dialog.getByRole('button', { name: 'Done' }).click()
      await page.getByRole('row', { name: /Mine/ }).waitFor()
      await page.reload()
      await page.getByRole('row', { name: /Mine/ }).waitFor()
      expect(
        await page.evaluate(() => [JSON.stringify(localStorage), document.cookie, location.href].join()),
      ).not.toContain(mine.slice(-20))

      const other = await world.openPage('devices', '/devices')
      await other
        .getByRole('textbox', { name: 'Access token' })
        .fill((await provider?.token('homeward', 'other-program')) ?? '')
      await other.keyboard.press('Enter')
      await other.getByText('No devices yet').waitFor()

      // as after the token has expired
      await page.evaluate(() => sessionStorage.setItem('homeward.cloud-token', 'expired'))
      await expect
        .poll(async () => {
          await page.evaluate(() => window.dispatchEvent(new Event('visibilitychange')))
          return field.count()
        })
        .toBe(1)
      await field.fill((await provider?.token('homeward', 'other-program')) ?? '')
      await Promise.all([page.waitForEvent('load'), page.keyboard.press('Enter')])
      await page.getByText('No devices yet').waitFor()

      await page.evaluate(() => sessionStorage.clear())
      await page.reload()
      await field.waitFor()
    })
  },
)
