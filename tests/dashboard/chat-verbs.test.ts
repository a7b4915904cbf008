import { beforeEach, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectFineInEveryLook } from './expect-accessible.ts'
import { useHandDrivenProvider } from './hand-driven-provider.ts'

const provider = useHandDrivenProvider()
const within = { timeout: 30_000 }

const transcript = (page: Page) => page.getByRole('log', { name: /^Conversation with/ })
const composer = (page: Page) => page.getByRole('textbox', { name: /^Message to/ })
const copied = (page: Page) => page.evaluate(() => navigator.clipboard.readText())

async function talk(page: Page, task: string, answer: string): Promise<void> {
  await composer(page).fill(task)
  await composer(page).press('Enter')
  await say(task, answer)
  await transcript(page).getByRole('button', { name: 'Retry' }).waitFor(within)
}

/** @returns what the model read. */
async function say(task: string, answer: string): Promise<string> {
  const call = await provider.nextCall(task)
  call.say(answer)
  call.end()
  return call.prompt
}

describeInBrowser('the verbs of the chat', {}, (world) => {
  beforeEach(async () => {
    const { agents } = world.runtime()
    if (await agents.find('writer')) return
    await agents.create({ id: 'writer', name: 'Writer', model: 'openai/stand-in' })
  })

  it('shows code with its language and formulas, and copies code and answers', async () => {
    const page = await world.openPage('agents', '/chat/writer')
    const code = 'def half(x):\n    return x / 2  # "half"'
    const answer = `Energy is $E = mc^2$, and it costs $5 or $10.\n\n$$\n\\frac{1}{2}\n$$\n\n\`\`\`python\n${code}\n\`\`\``
    await talk(page, 'Explain half', answer)

    const block = transcript(page).getByRole('group', { name: 'Code in python' })
    await block.locator('.hljs-keyword', { hasText: 'return' }).waitFor(within)
    await transcript(page).locator('math[display="block"] mfrac').waitFor(within)
    expect(await transcript(page).locator('math').count()).toBe(2)
    expect(await transcript(page).innerText()).toContain('it costs $5 or $10.')
    await page.getByRole('button', { name: 'Copy code' }).click()
    await expect.poll(() => copied(page), within).toBe(code)
    await page.getByRole('button', { name: 'Copy answer' }).click()
    await expect.poll(() => copied(page), within).toBe(answer)
    await expectFineInEveryLook(page)
    await screenshot(page, 'chat-code')
  })

  it('answers the newest question again', async () => {
    const page = await world.openPage('agents', '/chat/writer')
    await talk(page, 'Name a colour', 'Grey.')
    await page.getByRole('button', { name: 'Retry' }).click()
    expect(await say('Name a colour', 'Turquoise.')).not.toContain('Grey.')
    await transcript(page).getByText('Turquoise.').waitFor(within)
    expect(await transcript(page).getByText('Name a colour', { exact: true }).count()).toBe(1)
    expect(await transcript(page).getByText('Grey.').count()).toBe(0)
    await page.getByRole('button', { name: 'Previous answer' }).click()
    await transcript(page).getByText('Grey.').waitFor(within)
    await page.getByRole('status').getByText('1/2').waitFor(within)
  })

  it('sends a changed question in a new conversation, and leaves the old one as it is', async () => {
    const page = await world.openPage('agents', '/chat/writer')
    await talk(page, 'My name is Ada', 'Hello Ada.')
    await talk(page, 'Say it in French', 'Bonjour Ada.')
    const before = page.url()
    await page.getByRole('button', { name: 'Edit message' }).last().click()
    await page.getByRole('textbox', { name: 'Edited message' }).fill('Say it in Italian')
    await screenshot(page, 'chat-edit')
    await page.getByRole('button', { name: 'Send edited message' }).click()
    const prompt = await say('Say it in Italian', 'Ciao Ada.')
    expect(prompt).toContain('Hello Ada.')
    expect(prompt).not.toContain('French')
    await transcript(page).getByText('Ciao Ada.').waitFor(within)
    expect(page.url()).not.toBe(before)
    expect(await transcript(page).getByText('Bonjour').count()).toBe(0)

    await page.goto(before)
    await transcript(page).getByText('Bonjour Ada.').waitFor(within)
    await page.getByRole('button', { name: 'Branch from here' }).first().click()
    await page
      .getByText(/^Branch of My name is Ada/)
      .first()
      .waitFor(within)
    await transcript(page).getByText('Hello Ada.').waitFor(within)
    expect(await transcript(page).getByText('Bonjour').count()).toBe(0)
  })

  it('renames a conversation where its title stands', async () => {
    const page = await world.openPage('agents', '/chat/writer')
    await talk(page, 'Something to rename', 'Well.')
    await page.getByRole('button', { name: 'Rename the conversation' }).click()
    const title = page.getByRole('textbox', { name: 'Title of the conversation' })
    await title.fill('Another title')
    await title.press('Enter')
    await page
      .getByRole('navigation', { name: 'Recent conversations' })
      .getByText('Another title')
      .waitFor(within)
    await page.locator('.page-header').getByText('Another title').waitFor(within)
  })

  it('writes down what is said', async () => {
    const page = await world.openPage('agents', '/chat/writer')
    await composer(page).fill('Say')
    await page.evaluate(() => {
      class Spoken extends EventTarget {
        start(): void {
          const result = Object.assign([{ transcript: ' hello there' }], { isFinal: true })
          this.dispatchEvent(Object.assign(new Event('result'), { resultIndex: 0, results: [result] }))
        }
        stop(): void {
          this.dispatchEvent(new Event('end'))
        }
        abort(): void {}
      }
      Object.assign(window, { SpeechRecognition: Spoken })
    })
    await page.getByRole('button', { name: 'Dictate' }).click()
    await expect.poll(() => composer(page).inputValue(), within).toBe('Say hello there')
    await page.getByRole('button', { name: 'Stop dictation' }).click()
    await page.getByRole('button', { name: 'Dictate' }).waitFor(within)
  })

  it('begins a new line by Enter on a phone, and takes pictures with its camera', async () => {
    const page = await world.openPage('agents', '/chat/writer', { viewport: { width: 390, height: 800 } })
    await page.addInitScript(() => {
      const before = window.matchMedia.bind(window)
      window.matchMedia = (query) => before(query === '(pointer: coarse)' ? '(min-width: 0)' : query)
    })
    await page.reload()
    await composer(page).fill('One')
    await composer(page).press('Enter')
    await page.keyboard.type('Two')
    expect(await composer(page).inputValue()).toBe('One\nTwo')
    await page.getByRole('button', { name: 'Take a picture' }).waitFor()
    expect(await page.locator('input[type="file"][capture="environment"]').getAttribute('accept')).toBe(
      'image/*',
    )
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await say('One', 'Three, on a **phone**.')
    await transcript(page).getByRole('button', { name: 'Retry' }).waitFor(within)
    await screenshot(page, 'chat-phone')
    await expectFineInEveryLook(page)
  })
})
