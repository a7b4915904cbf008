import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { createMockAnthropicProvider, type MockProviderResponse } from '@homeward/agent-runtime/testing'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { describeInBrowser } from './browser.ts'

const within = { timeout: 30_000 }
const results = [{ url: 'https://weather.example/oslo', title: 'Oslo today' }]
const write = (path: string) => [{ name: 'write_file', args: { path, content: 'Sunny' } }]
const first: MockProviderResponse = {
  reasoning: 'I should search for it.',
  searches: [{ query: 'weather', results }],
  text: 'I found it.',
  calls: write('a.txt'),
}
let answers: MockProviderResponse[] = []
let asked: string[] = []

const standIn = createMockAnthropicProvider({
  answer(body) {
    asked.push(JSON.stringify(body))
    return answers.shift() ?? { text: 'Nothing more.' }
  },
})
const server = createServer((request, response) => {
  const ask = async () => {
    const body = await text(request)
    const reply = await standIn.fetch(`http://127.0.0.1${request.url}`, { method: 'POST', body })
    response.writeHead(reply.status, Object.fromEntries(reply.headers))
    Readable.from([await reply.text()]).pipe(response)
  }
  ask().catch(() => response.destroy())
})
const names = ['ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL']
const before = names.map((name) => [name, process.env[name]] as const)
let script = ''

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // it listens on a port
  process.env['ANTHROPIC_API_KEY'] = 'sk-stand-in-key'
  process.env['ANTHROPIC_BASE_URL'] = `http://127.0.0.1:${port}/v1`
  const { outputFiles } = await build({
    entryPoints: [`${import.meta.dirname}/use-chat-page.ts`],
    bundle: true,
    format: 'esm',
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
    logLevel: 'silent',
  })
  script = outputFiles[0]?.text ?? ''
})
afterAll(() => {
  server.close()
  for (const [name, value] of before) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
})

describeInBrowser('useChat of the AI SDK', {}, (world) => {
  beforeEach(async () => {
    asked = []
    const { agents } = world.runtime()
    await agents.put({
      id: 'writer',
      model: 'anthropic/claude-sonnet-5',
      hosted_tools: ['web_search'],
      approval_tools: ['write_file'],
    })
  })

  /** Opens a page of the server's own origin that has nothing but the chat. */
  async function openChat(): Promise<Page> {
    const page = await world.openPage('agents', '/dashboard.json')
    const address = new URL('/use-chat.html', world.agentsUrl).href
    // after the script: what it says must not end it
    const body = `<!doctype html><html lang="en"><body></body><script type="module" src="/use-chat.js"></script></html>`
    await page.route(address, (route) => route.fulfill({ contentType: 'text/html', body }))
    await page.route(new URL('/use-chat.js', world.agentsUrl).href, (route) =>
      route.fulfill({ contentType: 'text/javascript', body: script }),
    )
    await page.goto(address)
    return page
  }

  const status = (page: Page) => page.getByRole('status', { name: 'Status' })
  const ready = (page: Page) => status(page).getByText('ready', { exact: true }).waitFor(within)

  it('A6: shows reasoning, sources and tool calls, sends files, and goes on after an approval', async () => {
    answers = [first, { text: 'It is written.' }]
    const page = await openChat()
    await page.getByRole('button', { name: 'Send' }).click()
    const answer = page.getByRole('article', { name: 'assistant' })
    await answer.getByRole('button', { name: 'Approve' }).waitFor(within)
    await ready(page)
    expect(await page.getByRole('article', { name: 'user' }).innerText()).toContain('File note.txt')
    expect(asked[0]).toContain('4711')
    await answer.getByText('I should search for it.').waitFor(within)
    expect(await answer.getByRole('link', { name: 'Oslo today' }).getAttribute('href')).toBe(results[0]?.url)
    expect(await answer.getByRole('region', { name: 'web_search' }).innerText()).toBe('output-available')

    await answer.getByRole('button', { name: 'Approve' }).click()
    await answer.getByText('It is written.').waitFor(within)
    await ready(page)
    expect(await answer.count()).toBe(1)
    expect(await answer.getByRole('region', { name: 'write_file' }).innerText()).toBe('output-available')
    expect(asked).toHaveLength(2)
  })

  it('A6: goes on after a denial, and answers again', async () => {
    answers = [{ calls: write('b.txt') }, { text: 'Then not.' }, { text: 'Another answer.' }]
    const page = await openChat()
    await page.getByRole('button', { name: 'Send' }).click()
    const answer = page.getByRole('article', { name: 'assistant' })
    await answer.getByRole('button', { name: 'Deny' }).click()
    await answer.getByText('Then not.').waitFor(within)
    await ready(page)
    expect(await answer.getByRole('region', { name: 'write_file' }).innerText()).toBe('output-denied')

    await page.getByRole('button', { name: 'Regenerate' }).click()
    await answer.getByText('Another answer.').waitFor(within)
    await ready(page)
    expect(await answer.count()).toBe(1)
    expect(asked).toHaveLength(3)
  })
})
