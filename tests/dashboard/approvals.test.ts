import { beforeEach, expect, it } from 'vitest'
import type { Page } from 'playwright-core'
import { describeInBrowser } from './browser.ts'
import { useHandDrivenProvider } from './hand-driven-provider.ts'

const provider = useHandDrivenProvider()
const within = { timeout: 30_000 }
const letter = { path: 'letter.md', content: 'Dear neighbour' }

async function ask(page: Page, task: string) {
  const composer = page.getByRole('textbox', { name: /^Message to/ })
  await composer.fill(task)
  await composer.press('Enter')
  const call = await provider.nextCall(task)
  call.callTool('write_file', letter)
  return page.getByRole('group', { name: 'Approval of write_file' }).last()
}

describeInBrowser('approvals', { environment: { DEMO_MODEL: 'test/echo' } }, (world) => {
  beforeEach(async () => {
    const { agents } = world.runtime()
    if (await agents.find('writer')) return
    await agents.create({ id: 'writer', model: 'openai/stand-in', approval_tools: ['write_file'] })
  })

  it('changes the arguments of a call, and says what is wrong with them', async () => {
    const page = await world.openPage('agents', '/chat/writer')
    const approval = await ask(page, 'Write the first letter')
    await approval.getByRole('button', { name: 'More' }).click()
    await approval.getByRole('button', { name: 'Change arguments' }).click()
    const field = approval.getByLabel('Arguments (JSON)')
    expect(JSON.parse(await field.inputValue())).toEqual(letter)
    await field.fill('{"path": ')
    await approval.getByRole('button', { name: 'Approve changed arguments' }).click()
    await approval.getByText('The arguments are not valid JSON.').waitFor()
    await field.fill(JSON.stringify({ ...letter, content: 'Dear Ann' }))
    await approval.getByRole('button', { name: 'Approve changed arguments' }).click()
    const second = await provider.nextCall('Write the first letter')
    expect(second.prompt).toContain('Dear Ann')
    second.say('Done.')
    second.end()
    await page.getByRole('button', { name: /^write_file/ }).click()
    await page.getByText('A person approved it with changed arguments.').waitFor()
  })

  it('responds in place of the tool, remembers the decision, and revokes it', async () => {
    const page = await world.openPage('agents', '/chat/writer')
    const approval = await ask(page, 'Write the second letter')
    await approval.getByRole('button', { name: 'More' }).click()
    await approval.getByRole('button', { name: 'Respond' }).click()
    await approval.getByRole('textbox', { name: 'Response' }).fill('She has moved away')
    await approval.getByRole('button', { name: /Applies to/ }).click()
    await page.getByRole('option', { name: 'The same call of this agent' }).click()
    await approval.getByRole('button', { name: 'Send response' }).click()
    const second = await provider.nextCall('Write the second letter')
    expect(second.prompt).toContain('She has moved away')
    second.say('Done.')
    second.end()
    await page.getByRole('button', { name: /^write_file/ }).click()
    await page.getByText('A person answered in place of the tool.').waitFor()
    const { runs } = world.runtime()
    expect(await runs.rememberedApprovals('writer')).toMatchObject([{ decision: 'respond', args: letter }])
    const agent = await world.openPage('agents', '/agents/writer')
    await agent.getByRole('button', { name: 'Revoke' }).click()
    await expect.poll(() => runs.rememberedApprovals('writer'), within).toEqual([])
  })
})
