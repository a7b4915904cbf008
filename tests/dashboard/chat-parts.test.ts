import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createMockAnthropicProvider, type MockProviderResponse } from '@homeward/agent-runtime/testing'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectFineInEveryLook } from './expect-accessible.ts'

const within = { timeout: 30_000 }
const answer: MockProviderResponse = {
  reasoning: 'I should search the web for the weather.',
  searches: [
    {
      query: 'weather in Oslo',
      results: [
        { url: 'https://weather.example/oslo?day=1', title: 'Oslo today' },
        { url: 'https://b.example/', title: 'B' },
      ],
    },
  ],
  text: 'It is sunny in Oslo.',
}
const standIn = createMockAnthropicProvider({ answer: () => answer })
const server = createServer((request, response) => {
  const ask = async () => {
    const body = await text(request)
    const reply = await standIn.fetch(`http://127.0.0.1${request.url}`, { method: 'POST', body })
    response.writeHead(reply.status, Object.fromEntries(reply.headers))
    Readable.from([await reply.text()]).pipe(response)
  }
  ask().catch(() => response.destroy())
})
const before = { key: process.env['ANTHROPIC_API_KEY'], url: process.env['ANTHROPIC_BASE_URL'] }

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  Object.assign(process.env, {
    ANTHROPIC_API_KEY: 'sk-stand-in-key',
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${port}/v1`,
  })
})
afterAll(() => {
  server.close()
  for (const [name, value] of [
    ['ANTHROPIC_API_KEY', before.key],
    ['ANTHROPIC_BASE_URL', before.url],
  ] as const) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
})

describeInBrowser('the chat with a model that reasons and searches', {}, (world) => {
  beforeEach(async () => {
    const { agents } = world.runtime()
    if (await agents.find('finder')) return
    await agents.create({
      id: 'finder',
      name: 'Finder',
      model: 'anthropic/claude-sonnet-5',
      hosted_tools: ['web_search'],
      model_settings: { seed: 1 },
    })
  })

  it('folds reasoning and searches, and shows sources and warnings', async () => {
    const page = await world.openPage('agents', '/chat/finder')
    const composer = page.getByRole('textbox', { name: /^Message to/ })
    await composer.fill('How is the weather?')
    await composer.press('Enter')
    const log = page.getByRole('log', { name: /^Conversation with/ })
    await log.getByText('It is sunny in Oslo.').waitFor(within)
    await page.getByRole('link', { name: 'Timeline' }).waitFor(within)

    const reasoning = log.getByRole('button', { name: 'Reasoning' })
    await reasoning.waitFor(within)
    expect(await reasoning.getAttribute('aria-expanded')).toBe('false')
    await reasoning.click()
    await log.getByText('I should search the web for the weather.').waitFor(within)

    const search = log.getByRole('button', { name: /web_search/ })
    await search.click()
    await log
      .getByRole('group', { name: 'Arguments of web_search' })
      .getByText('weather in Oslo')
      .waitFor(within)
    expect(await log.innerText()).not.toContain('encrypted')

    const link = log.getByRole('link', { name: 'Oslo today' })
    expect(await link.getAttribute('href')).toBe('https://weather.example/oslo?day=1')
    expect(await link.getAttribute('rel')).toContain('noreferrer')
    await log.getByText(/"seed" is not supported/).waitFor(within)
    await expectFineInEveryLook(page)
    await screenshot(page, 'chat-parts')

    await page.reload()
    await log.getByRole('link', { name: 'Oslo today' }).waitFor(within)
    await log.getByRole('button', { name: /web_search/ }).waitFor(within)
    await log.getByText(/"seed" is not supported/).waitFor(within)
    expect(await log.getByRole('button', { name: 'Reasoning' }).count()).toBe(0)
  })
})
