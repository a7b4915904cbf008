import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createScriptedModel, type ScriptedResponse } from '@homeward/agent-runtime/testing'
import { agent, startChat } from '../../apps/create-homeward/templates/agent/server.ts'
import { workspaceFolder } from '../../scripts/workspace-packages.ts'
import { openBrowser } from './browser.ts'
import { findChromium } from './find-chromium.ts'

const executablePath = findChromium()

/** A gate that a scripted answer waits at. */
function createGate() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { wait: () => promise, open: resolve }
}

describe.runIf(executablePath !== undefined || process.env['CI'])(
  'the example of a chat',
  { timeout: 120_000 },
  () => {
    let browser: Browser
    beforeAll(async () => {
      browser = await openBrowser(executablePath ?? '')
    })

    async function start(steps: readonly ScriptedResponse[]) {
      const model = createScriptedModel(steps)
      const { url, runtime, close } = await startChat({
        environment: {},
        models: { test: () => model },
      })
      onTestFinished(close)
      const page = await browser.newPage()
      onTestFinished(() => page.close())
      page.setDefaultTimeout(30_000)
      await page.goto(url)
      return { page, runtime, model, url: page.url() }
    }

    const ask = async (page: Page, text: string) => {
      await page.getByLabel('Message').fill(text)
      await page.getByRole('button', { name: 'Ask' }).click()
    }
    const callOf = (name: string, args: object) => ({ toolCalls: [{ name, args, id: `call-${name}` }] })
    const articles = (page: Page) => page.locator('article').allInnerTexts()

    it('has a server of at most 100 lines', async () => {
      const source = await readFile(
        join(workspaceFolder, 'apps/create-homeward/templates/agent/server.ts'),
        'utf8',
      )
      expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(100)
      expect(agent.tools).toHaveLength(2)
    })

    it('shows a tool call, and the same after a reload', async () => {
      const { page } = await start([callOf('weather', { city: 'Paris' }), { text: 'It is warm.' }])
      await ask(page, 'How is Paris?')
      await page.getByText('It is warm.').waitFor()
      const before = await articles(page)
      expect(before).toEqual(['How is Paris?', expect.stringMatching(/21 °C\s+It is warm\./)])
      await page.reload()
      await page.getByText('It is warm.').waitFor()
      expect(await articles(page)).toEqual(before)
    })

    it('goes on with an answer after a reload in the middle of it', async () => {
      const gate = createGate()
      const { page } = await start([
        { text: 'First look. ', ...callOf('weather', { city: 'Paris' }) },
        { text: 'It is warm.', gate: gate.wait },
      ])
      await ask(page, 'How is Paris?')
      await page.getByText('21 °C').waitFor()
      await page.reload()
      await page.getByText('21 °C').waitFor()
      await page.getByText('streaming').waitFor()
      gate.open()
      await page.getByText('It is warm.').waitFor()
      expect(await articles(page)).toEqual([
        'How is Paris?',
        expect.stringMatching(/^First look\.\s+21 °C\s+It is warm\.$/),
      ])
    })

    it.each([
      ['Send', 'Sent to ann'],
      ['Do not send', 'Not sent'],
    ])('asks before a mail, also after a reload: %s', async (button, shown) => {
      const { page, model } = await start([
        callOf('sendMail', { to: 'ann', text: 'Hello' }),
        { text: 'Done.' },
      ])
      await ask(page, 'Write to Ann')
      await page.getByRole('button', { name: button, exact: true }).waitFor()
      await page.reload()
      await page.getByRole('button', { name: button, exact: true }).click()
      await page.getByText('Done.').waitFor()
      await page.getByText(shown).waitFor()
      expect(model.calls).toHaveLength(2)
      expect(await page.locator('article').count()).toBe(2)
    })

    it('stops the run, and not only its stream', async () => {
      const gate = createGate()
      const { page, runtime } = await start([{ text: 'Slow.', gate: gate.wait }])
      onTestFinished(() => gate.open())
      await ask(page, 'Take your time')
      await expect.poll(async () => (await runtime.runs.list()).runs[0]?.status).toBe('running')
      await page.getByRole('button', { name: 'Stop' }).click()
      await expect.poll(async () => (await runtime.runs.list()).runs[0]?.status).toBe('cancelled')
    })
  },
)
