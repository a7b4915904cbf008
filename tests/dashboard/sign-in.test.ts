import { expect, it } from 'vitest'
import { describeInBrowser } from './browser.ts'
import { expectAccessible } from './expect-accessible.ts'

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
    await page.getByText('The server does not take this token.').waitFor()

    await field.fill(token)
    const [socket] = await Promise.all([page.waitForEvent('websocket'), page.keyboard.press('Enter')])
    await page.getByRole('heading', { name: 'Tasks', level: 1 }).waitFor()
    expect(socket.url()).toBe(`${world.agentsUrl.replace('http', 'ws')}/api/events`)
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
  })
})
