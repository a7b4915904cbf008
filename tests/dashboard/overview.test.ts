import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { describeInBrowser, screenshot } from './browser.ts'
import { type HandDrivenProvider, startHandDrivenProvider } from './hand-driven-provider.ts'

let provider: HandDrivenProvider
beforeAll(async () => {
  provider = await startHandDrivenProvider()
  vi.stubEnv('OPENAI_API_KEY', 'sk-stand-in-key')
  vi.stubEnv('OPENAI_BASE_URL', provider.url)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await provider[Symbol.asyncDispose]()
})

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

  it('shows what comes next, what runs, and lets a person decide what waits', async () => {
    const page = await world.openPage('agents', '/')
    await page.getByRole('link', { name: /^writer 0 8/ }).waitFor()
    const finished = world.runtime().run({ agent_id: 'writer', task: 'Write a letter' })
    const call = await provider.nextCall()
    await page.getByRole('heading', { name: 'Runs now' }).waitFor()
    await page.getByRole('link', { name: /running writer Write a letter/ }).waitFor()
    call.callTool('write_file', { path: 'letter.md', content: 'Dear neighbour' })
    await finished
    const approval = page.getByRole('region', { name: 'Approval of write_file' })
    await approval.getByText('Dear neighbour').waitFor()
    await approval.getByRole('button', { name: 'Approve' }).click()
    const next = await provider.nextCall()
    next.say('It is written.')
    next.end()
    await approval.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: /completed writer Write a letter/ }).waitFor()
  })
})
