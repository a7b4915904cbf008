import { beforeAll, expect, it } from 'vitest'
import { describeInBrowser } from './browser.ts'
import { expectFineInEveryLook } from './expect-accessible.ts'
import { useHandDrivenProvider } from './hand-driven-provider.ts'

const provider = useHandDrivenProvider()

describeInBrowser('what runs wait for', { environment: { DEMO_MODEL: 'test/echo' } }, (world) => {
  beforeAll(() =>
    world.runtime().agents.create({ id: 'clerk', name: 'Clerk', model: 'openai/stand-in', ask_user: true }),
  )

  async function askFor(task: string, question: object): Promise<void> {
    const finished = world.runtime().run({ agent_id: 'clerk', task })
    const call = await provider.nextCall(task)
    call.callTool('ask_user', question)
    expect((await finished).stop_reason).toBe('waiting')
  }

  async function answered(task: string, text: string): Promise<void> {
    const call = await provider.nextCall(task)
    expect(call.prompt).toContain(text)
    call.say('Thank you.')
    call.end()
  }

  it('is listed on one page, and a question with choices is answered there', async () => {
    await askFor('Book a table', { message: 'Which evening?', options: ['Friday', 'Saturday'] })
    const page = await world.openPage('agents', '/waiting')
    const question = page.getByRole('group', { name: 'Which evening?' })
    await question
      .getByRole('button', { name: /Answer/ })
      .first()
      .click()
    await page.getByRole('option', { name: 'Saturday' }).click()
    await expectFineInEveryLook(page)
    await question.getByRole('button', { name: 'Send answer' }).click()
    await answered('Book a table', 'Saturday')
    await page.getByText('Nothing waits').waitFor()
  })

  it('is answered in the chat, in words', async () => {
    const page = await world.openPage('agents', '/chat/clerk')
    const composer = page.getByRole('textbox', { name: /^Message to/ })
    await composer.fill('Write to Ann')
    await composer.press('Enter')
    const call = await provider.nextCall('Write to Ann')
    call.callTool('ask_user', { message: 'What shall I write?' })
    const question = page.getByRole('group', { name: 'What shall I write?' })
    await question.getByRole('textbox', { name: 'Answer' }).fill('That we are late')
    await question.getByRole('button', { name: 'Send answer' }).click()
    await answered('Write to Ann', 'That we are late')
    await page.getByText('Thank you.').waitFor()
  })

  it('is declined on Home', async () => {
    await askFor('Paint the wall', { message: 'Which color?' })
    const page = await world.openPage('agents', '/')
    const question = page.getByRole('group', { name: 'Which color?' })
    await question.getByRole('button', { name: 'Decline' }).click()
    await answered('Paint the wall', 'declined')
    await question.waitFor({ state: 'detached' })
  })
})
