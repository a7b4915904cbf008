import { beforeEach, expect, it } from 'vitest'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectFineInEveryLook } from './expect-accessible.ts'
import { useHandDrivenProvider } from './hand-driven-provider.ts'

const provider = useHandDrivenProvider()

describeInBrowser('the overview', { environment: { DEMO_MODEL: 'test/echo' } }, (world) => {
  beforeEach(async () => {
    const { agents } = world.runtime()
    if (await agents.find('writer')) return
    await agents.create({
      id: 'writer',
      model: 'openai/stand-in',
      approval_tools: ['write_file'],
      schedule: '0 8 * * *',
    })
  })

  it('leads who is here for the first time to a chat, and to the devices', async () => {
    const page = await world.openPage('agents', '/')
    await page.getByRole('heading', { name: 'Talk to Demo' }).waitFor()
    await screenshot(page, 'overview')
    expect(await page.getByRole('link', { name: 'See the devices' }).getAttribute('href')).toContain(
      world.cloudUrl,
    )
    await page.getByRole('link', { name: 'Start a chat' }).click()
    await page.waitForURL(/\/chat\/demo$/)
    await page.getByRole('textbox', { name: /^Message to/ }).waitFor()
  })

  it('asks the first question for whoever does not know yet what to ask', async () => {
    const page = await world.openPage('agents', '/chat/demo')
    const questions = page.getByRole('group', { name: 'Questions to begin with' })
    const first = questions.getByRole('button').first()
    await screenshot(page, 'first-questions')
    const question = (await first.textContent()) ?? ''
    await first.click()
    await page.getByRole('log').getByText(question).nth(1).waitFor() // what was asked, and its echo
    expect(await questions.count()).toBe(0)
    await page
      .getByRole('textbox', { name: /^Message to/ })
      .and(page.locator(':focus'))
      .waitFor()
  })

  it('shows what comes next, what runs, and lets a person decide what waits', async () => {
    const page = await world.openPage('agents', '/')
    await page.getByRole('link', { name: /^writer 0 8/ }).waitFor()
    const finished = world.runtime().run({ agent_id: 'writer', task: 'Write a letter' })
    const call = await provider.nextCall('Write a letter')
    await page.getByRole('heading', { name: 'Runs now' }).waitFor()
    await page.getByRole('link', { name: /running writer Write a letter/ }).waitFor()
    call.callTool('write_file', { path: 'letter.md', content: 'Dear neighbour' })
    await finished
    const other = world.runtime().run({ agent_id: 'writer', task: 'Fill in a card' })
    const otherCall = await provider.nextCall('Fill in a card')
    otherCall.callTool('write_file', { path: 'card.md', content: 'Dear aunt' })
    await other
    const approvals = page.getByRole('group', { name: 'Approval of write_file' })
    const approval = approvals.filter({ hasText: 'Dear neighbour' })
    await approvals.filter({ hasText: 'Dear aunt' }).waitFor()
    await approval.getByText('Dear neighbour').waitFor()
    await expectFineInEveryLook(page)
    await approval.getByRole('button', { name: 'Approve' }).click()
    const next = await provider.nextCall('Write a letter')
    next.say('It is written.')
    next.end()
    await approval.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: /completed writer Write a letter/ }).waitFor()
  })
})
