import { beforeEach, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { reloadAsking } from './reload-asking.ts'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectFineInEveryLook, expectNoSidewaysScroll, goTo } from './expect-accessible.ts'
import { useHandDrivenProvider } from './hand-driven-provider.ts'

const provider = useHandDrivenProvider()

/** How long the page may take for what a test waits for, with other tests beside it. */
const within = { timeout: 30_000 }

const transcript = (page: Page) => page.getByRole('log', { name: /^Conversation with/ })
const composer = (page: Page) => page.getByRole('textbox', { name: /^Message to/ })
const stop = (page: Page) => page.getByRole('button', { name: 'Stop' })
const send = (page: Page) => page.getByRole('button', { name: 'Send' })

/** How often a text stands in the transcript. */
async function countOf(page: Page, text: string): Promise<number> {
  return (await transcript(page).innerText()).split(text).length - 1
}

async function ask(page: Page, task: string) {
  await composer(page).fill(task)
  await composer(page).press('Enter')
  // as it stands in JSON, and no more of it than tells it apart
  return provider.nextCall(JSON.stringify(task).slice(1, 60).split('"')[0])
}

describeInBrowser('the chat', { environment: { DEMO_MODEL: 'test/echo' } }, (world) => {
  beforeEach(async () => {
    const { agents } = world.runtime()
    if (await agents.find('writer')) return
    const model = 'openai/stand-in'
    await agents.create({ id: 'writer', name: 'Writer', model, approval_tools: ['write_file'] })
    await agents.create({ id: 'keyless', model: 'anthropic/any-model' })
  })

  it('asks for a new conversation only once it is there', async () => {
    const page = await world.openPage('agents', '/chat/demo')
    const missing: string[] = []
    page.on('response', (response) => {
      if (response.status() === 404) missing.push(response.url())
    })
    await composer(page).fill('First of all')
    await composer(page).press('Enter')
    await page.getByRole('link', { name: 'Timeline' }).waitFor()
    await send(page).waitFor()
    await composer(page).fill('And then')
    await composer(page).press('Enter')
    await expect.poll(() => page.getByRole('link', { name: 'Timeline' }).count(), within).toBe(2)
    expect(missing).toEqual([])
  })

  it('shows the answer as it grows, folds a tool call, and asks for approval where it stands', async () => {
    const page = await world.openPage('agents', '/chat/writer')
    const first = await ask(page, 'Write to my neighbour')
    first.say('Here is a **draft**')
    await page.locator('strong', { hasText: 'draft' }).waitFor()
    expect(await page.getByText('Writer is working. You can write on').count()).toBe(1)
    first.say(' of it.')
    await page.getByText('draft of it.').waitFor()
    first.callTool('write_file', { path: 'letter.md', content: 'Dear neighbour' })
    const approval = page.getByRole('group', { name: 'Approval of write_file' })
    await approval.getByText('Dear neighbour').waitFor()
    await screenshot(page, 'chat-approval')
    await approval.getByRole('button', { name: 'More' }).click()
    await approval.getByLabel('Reason (the agent reads it)').fill('She waits for it')
    await approval.getByRole('button', { name: 'Approve' }).click()

    const second = await provider.nextCall('Write to my neighbour')
    expect(second.prompt).toContain('letter.md')
    // The button is gone: whoever pressed it by keyboard goes on writing.
    await expect
      .poll(() => composer(page).evaluate((field) => field === document.activeElement), within)
      .toBe(true)
    second.say('It is written.')
    second.end()
    await send(page).waitFor()
    const call = page.getByRole('button', { name: /write_file/ })
    expect(await call.getAttribute('aria-expanded')).toBe('false')
    await call.getByText(/done · \d/).waitFor()
    await call.click()
    await page.getByRole('group', { name: 'Result of write_file' }).getByText('"ok": true').waitFor()
    await page.getByText('A person approved it: She waits for it').waitFor()
    await page.getByText('240 tokens in, 60 out').waitFor()
    expect(await countOf(page, 'draft of it.')).toBe(1)
    await screenshot(page, 'chat')
  })

  it('stays within the window, however long the names of agents', async () => {
    const { agents } = world.runtime()
    await agents.create({ id: 'long', name: 'A long name '.repeat(16), model: 'test/echo' })
    await agents.create({ id: 'one-word', name: 'Longname'.repeat(25), model: 'test/echo' })
    for (const id of ['long', 'one-word']) {
      const page = await world.openPage('agents', `/chat/${id}`)
      await page.getByText('Talk to').waitFor()
      await expectNoSidewaysScroll(page)
      // What is written there later begins on one line, however long the name before it.
      expect((await composer(page).boundingBox())?.height).toBeLessThan(50)
      await agents.delete(id)
    }
  })

  it('makes the field as high as what is written, also where the browser has no field-sizing', async () => {
    const page = await world.openPage('agents', '/chat/writer')
    await composer(page).evaluate((field) => field.style.setProperty('field-sizing', 'fixed'))
    await composer(page).fill('One line\nand another\n')
    expect(await composer(page).evaluate((field) => field.clientHeight)).toBeGreaterThan(60)
    expect(await composer(page).evaluate((field) => field.scrollHeight - field.clientHeight)).toBe(0)
  })

  it('sends the first message of whoever came by the navigation, where the address names no agent yet', async () => {
    const page = await world.openPage('agents')
    await page.getByRole('link', { name: 'Chat', exact: true }).click()
    await composer(page).fill('One two three')
    await composer(page).press('Enter')
    await expect.poll(() => countOf(page, 'One two three'), within).toBe(2) // what was asked, and its echo
    expect(page.url()).toMatch(/\/chat\/demo\?conversation=/)
    // The navigation begins another one; the first is still there, and what was said in it elsewhere too.
    const id = new URL(page.url()).searchParams.get('conversation') ?? ''
    await page.getByRole('link', { name: 'Chat', exact: true }).click()
    await page.getByText('Talk to').waitFor()
    await world.runtime().run({ agent_id: 'demo', conversation_id: id, task: 'Four five' })
    await page.locator('.chat-recent-item').first().click()
    await expect.poll(() => countOf(page, 'Four five'), within).toBe(2)
    expect(await countOf(page, 'One two three')).toBe(2)
  })

  it('tells the agent why a person said no', async () => {
    const page = await world.openPage('agents', '/chat/writer')
    const first = await ask(page, 'Write it')
    first.callTool('write_file', { path: 'a.md', content: 'x' })
    await page.getByRole('button', { name: 'More', exact: true }).click()
    await page.getByLabel('Reason (the agent reads it)').fill('Not at night')
    await page.getByRole('button', { name: 'Deny' }).click()
    const second = await provider.nextCall('Not at night')
    second.say('Then I leave it.')
    second.end()
    await page.getByRole('button', { name: /write_file denied/ }).waitFor()
    await send(page).waitFor()
  })

  it('stops a run, keeps what it had said, and takes the next message', async () => {
    const page = await world.openPage('agents', '/chat/writer')
    const first = await ask(page, 'Count to a million')
    first.say('One, two, three')
    await page.getByText('One, two, three').waitFor()
    await composer(page).fill('Another question')
    await composer(page).press('Enter')
    expect(await composer(page).inputValue()).toBe('Another question')
    await stop(page).click()
    await page.getByText('You stopped the run.').waitFor()
    expect(await countOf(page, 'One, two, three')).toBe(1)
    await composer(page).press('Enter')
    const second = await provider.nextCall('Another question')
    expect(second.prompt).toContain('One, two, three')
    second.say('Yes?')
    second.end()
    await transcript(page).getByText('Yes?').waitFor()
    await send(page).waitFor()
  })

  it('goes on with a run after the page was loaded anew, without doubling anything', async () => {
    const page = await world.openPage('agents', '/chat/writer')
    const first = await ask(page, 'Tell me a story')
    first.say('Once upon a time ')
    await page.getByText('Once upon a time').waitFor()
    await page.reload()
    await page.getByText('Once upon a time').waitFor()
    expect(await countOf(page, 'Tell me a story')).toBe(1)
    first.say('there was a fox.')
    await transcript(page).getByText('Once upon a time there was a fox.').waitFor()
    first.end()
    await send(page).waitFor()
    expect(await countOf(page, 'Once upon a time')).toBe(1)
    await page.reload()
    await transcript(page).getByText('Once upon a time there was a fox.').waitFor()
    expect(await countOf(page, 'Tell me a story')).toBe(1)
  })

  it('goes on when the server was started again in the midst of an answer', async () => {
    const page = await world.openPage('agents', '/chat/writer')
    const first = await ask(page, 'Name a colour')
    first.say('It is gre')
    await page.getByText('It is gre').waitFor()
    await world.stop()
    await page.getByText('Connection lost. The run continues').waitFor()
    await world.restart()
    const again = await provider.nextCall('Name a colour')
    again.say('It is green.')
    await transcript(page).getByText('It is green.').waitFor()
    again.end()
    await send(page).waitFor()
    expect(await countOf(page, 'It is gre')).toBe(1)
  })

  it('sends a message once, also when the server was away at the first try', async () => {
    const page = await world.openPage('agents', '/chat/writer')
    await composer(page).waitFor()
    await world.stop()
    await composer(page).fill('Are you there?')
    await composer(page).press('Enter')
    const again = page.getByRole('button', { name: 'Try again' })
    await again.last().waitFor()
    await world.restart()
    await again.last().click()
    const call = await provider.nextCall('Are you there?')
    call.say('Now I am.')
    call.end()
    await transcript(page).getByText('Now I am.').waitFor()
    await send(page).waitFor()
    expect(await countOf(page, 'Are you there?')).toBe(1)
  })

  it('keeps a message that was not sent, for its conversation, over links and a reload', async () => {
    const page = await world.openPage('agents', '/chat/writer')
    await composer(page).fill('Half a quest')
    expect(await reloadAsking(page)).toBe(true) // a tab that is closed keeps nothing
    await expect.poll(() => composer(page).inputValue(), within).toBe('Half a quest')
    await page.getByRole('link', { name: 'Agents', exact: true }).click()
    await page.goBack()
    await expect.poll(() => composer(page).inputValue(), within).toBe('Half a quest')
    const first = await ask(page, 'A whole question')
    first.say('A whole answer.')
    first.end()
    await send(page).waitFor()
    await composer(page).fill('For this one alone')
    await page.getByRole('button', { name: 'New conversation' }).click()
    await page.getByText('Talk to').waitFor()
    expect(await composer(page).inputValue()).toBe('')
    await page.locator('.chat-recent-item').first().click()
    await expect.poll(() => composer(page).inputValue(), within).toBe('For this one alone')
    await composer(page).press('Enter')
    const second = await provider.nextCall('For this one alone')
    second.end()
    await send(page).waitFor()
    await page.reload()
    await transcript(page).getByText('For this one alone').waitFor()
    expect(await composer(page).inputValue()).toBe('')
  })

  it('says in plain words why a run failed, and what to do', async () => {
    const page = await world.openPage('agents', '/chat/keyless')
    await composer(page).fill('Hello')
    await composer(page).press('Enter')
    await page.getByText('The run was not started.').waitFor()
    await screenshot(page, 'chat-failure')
    await page.getByRole('link', { name: 'the settings' }).click()
    await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor()
    await page.goBack()
    await expect.poll(() => composer(page).inputValue(), within).toBe('Hello')
  })

  it('keeps the first message of all, when it is refused, for the first of the next chat', async () => {
    const page = await world.openPage('agents', '/chat/demo')
    const refused = { error: 'Unprocessable', code: 'budget_exceeded', message: 'The budget is used up.' }
    await page.route('**/api/agents/run/stream*', (route) => route.fulfill({ status: 422, json: refused }))
    await composer(page).fill('How are you?')
    await composer(page).press('Enter')
    await page.getByText('The run was not started.').waitFor()
    // There is no conversation: the address names none, and what was said stays in sight.
    await page.waitForURL('**/chat/demo')
    expect(await countOf(page, 'How are you?')).toBe(1)
    await page.getByRole('link', { name: 'the settings' }).click()
    await page.getByRole('heading', { level: 1, name: 'Models' }).waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Chat', exact: true }).click()
    await expect.poll(() => composer(page).inputValue(), within).toBe('How are you?')

    await composer(page).press('Enter')
    await page.getByText('The run was not started.').waitFor()
    await page.unroute('**/api/agents/run/stream*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.waitForURL('**/chat/demo?conversation=*')
    await transcript(page).locator('.chat-answer').getByText('How are you?').waitFor()
    await page.getByRole('navigation').getByRole('link', { name: 'Chat', exact: true }).click()
    await page.getByText('Talk to').waitFor()
    expect(await composer(page).inputValue()).toBe('')
  })

  it('tells who could not be reached, or was refused, what to do: nothing is sent again by itself', async () => {
    const page = await world.openPage('agents', '/chat/demo')
    const note = page.locator('.chat-foot').getByRole('alert')
    const busy = { error: 'Too many requests', code: 'too_many_requests', message: 'Wait a minute.' }
    await page.route('**/api/agents/run/stream*', (route) => route.fulfill({ status: 429, json: busy }))
    await composer(page).fill('Are you there?')
    await composer(page).press('Enter')
    await note.getByText('Wait a minute.').waitFor()
    expect(await page.getByText('The run was not started.').count()).toBe(0)
    await page.route('**/api/agents/run/stream*', (route) => route.abort())
    await page.getByRole('button', { name: 'Try again' }).click()
    await note.getByText('Check that the server is running, then try again.').waitFor()
    await page.unroute('**/api/agents/run/stream*')
    await page.getByRole('button', { name: 'Try again' }).click()
    await transcript(page).locator('.chat-answer').getByText('Are you there?').waitFor()
    await page.reload()
    await transcript(page).locator('.chat-answer').getByText('Are you there?').waitFor()
    expect(await composer(page).inputValue()).toBe('')
  })

  const hostile = [
    '<img src=x onerror="globalThis.hacked=1"><script>globalThis.hacked=1</script>',
    '[click](javascript:globalThis.hacked=1) ![pixel](http://evil.example/p.png) <a href="javascript:1">raw</a>',
    '\u001B[31mred\u001B[0m \u202Ereversed\u202C \u0000',
    'x'.repeat(20_000),
  ].join('\n\n')

  it('runs nothing of what a model, a tool or a person says', async () => {
    const page = await world.openPage('agents', '/chat/writer')
    const first = await ask(page, hostile)
    first.say(hostile)
    first.callTool('write_file', { path: 'a.md', content: hostile })
    await page.getByRole('button', { name: 'Approve' }).click()
    const second = await provider.nextCall('globalThis.hacked=1')
    second.say(`${hostile}\n\nThe end.`)
    second.end()
    await transcript(page).getByText('The end.').waitFor()
    await send(page).waitFor()
    const call = page.getByRole('button', { name: /write_file/ })
    await call.click()
    await page.getByText('"content": "<img').waitFor()

    const found = await page.evaluate(() => ({
      hacked: 'hacked' in globalThis,
      active: document.querySelectorAll('main img, main script, main iframe, main style').length,
      links: [...document.querySelectorAll<HTMLAnchorElement>('main .markdown a')].map(({ href, rel }) => ({
        href,
        rel,
      })),
    }))
    expect(found.hacked).toBe(false)
    expect(found.active).toBe(0)
    expect(new Set(found.links.map(({ href }) => href))).toEqual(new Set(['http://evil.example/p.png']))
    expect(found.links.every(({ rel }) => rel === 'noopener noreferrer nofollow')).toBe(true)
    await expectNoSidewaysScroll(page)
    await page.setViewportSize({ width: 360, height: 740 })
    await expectNoSidewaysScroll(page)
  })

  it('works by keyboard alone: write, new line, send, approve', async () => {
    const page = await world.openPage('agents', '/chat/writer')
    await composer(page).waitFor()
    await page.keyboard.type('First line')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('second line')
    // The Enter that ends the choice of a character, as Safari tells it.
    await composer(page).dispatchEvent('keydown', { key: 'Enter', keyCode: 229 })
    expect(await composer(page).inputValue()).toBe('First line\nsecond line')
    await page.keyboard.press('Enter')
    const first = await provider.nextCall('First line\\nsecond line')
    first.callTool('write_file', { path: 'a.md', content: 'x' })
    const approve = page.getByRole('button', { name: 'Approve' })
    await approve.waitFor()
    for (let presses = 0; presses < 10; presses += 1) {
      if (await approve.evaluate((button) => button === document.activeElement)) break
      await page.keyboard.press('Shift+Tab')
    }
    await page.keyboard.press('Enter')
    const second = await provider.nextCall('First line')
    second.say('Done.')
    second.end()
    await send(page).waitFor()
    await page.keyboard.type('I can write on')
    expect(await composer(page).inputValue()).toBe('I can write on')
  })

  it('tells those who listen what happens, and not each piece of the text', async () => {
    const page = await world.openPage('agents', '/chat/writer')
    const spoken = page.locator('[role=status].visually-hidden')
    const first = await ask(page, 'Hello')
    await expect.poll(() => spoken.innerText(), within).toBe('Writer is working.')
    first.say('Good ')
    first.say('morning.')
    await transcript(page).getByText('Good morning.').waitFor()
    expect(await spoken.innerText()).toBe('Writer is working.')
    expect(await transcript(page).getAttribute('aria-live')).toBe('off')
    first.end()
    await expect.poll(() => spoken.innerText(), within).toBe('Writer answered: Good morning.')
    // Who reads it line by line is told where the answer begins.
    await transcript(page).getByRole('group', { name: 'Writer' }).getByText('Good morning.').waitFor()
  })

  it('is accessible and fits every window, with an approval and a failure', async () => {
    const page = await world.openPage('agents', '/chat/writer')
    const first = await ask(page, 'To be looked at')
    first.say(
      '# A title\n\nSome `code` and a [link](https://example.org).\n\n| a | b |\n|---|---|\n| 1 | 2 |\n',
    )
    first.callTool('write_file', { path: 'a.md', content: 'x' })
    await page.getByRole('button', { name: 'Approve' }).waitFor()
    await expectFineInEveryLook(page)
    await stop(page).click()
    await page.getByText('You stopped the run.').waitFor()
    await goTo(page, '/chat/keyless', page.getByRole('textbox', { name: 'Message to keyless' }))
    await composer(page).fill('Hello')
    await composer(page).press('Enter')
    await page.getByText('The run was not started.').waitFor()
    await expectFineInEveryLook(page)
  })
})
