import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { startAgentProcess } from '../../device/agent-process.ts'
import { createHome, startServer } from '../../server/server-process.ts'
import { chromiumArguments } from '../browser.ts'
import { findChromium, howToGetChromium } from '../find-chromium.ts'
import { startSearchingModel } from './searching-model.ts'

const executablePath = findChromium()
const key = 'sk-first-key-0123456789'
const deviceName = 'Cellar machine'
const mostMs = 5 * 60_000

/** The walk of issue 35: from `npm start` with a provider key at hand to an answer that rests on another machine. */
describe.runIf(executablePath !== undefined || process.env['CI'])('the first five minutes', () => {
  it(
    'lead from npm start to an answer that cites a file of a second machine',
    { timeout: mostMs },
    async () => {
      if (executablePath === undefined) expect.fail(howToGetChromium)
      const startedMs = performance.now()
      await using home = await createHome()
      const shared = join(home.path, 'cellar')
      await mkdir(shared)
      await writeFile(join(shared, 'garden-lease.md'), 'The lease of the garden ends in May.')
      await using model = await startSearchingModel({ key, deviceName, query: 'garden-lease' })
      await using server = await startServer(join(home.path, 'data'), {
        OPENAI_BASE_URL: model.url,
        HOMEWARD_DEVICE: 'on',
        DASHBOARD: 'on',
      })
      await using browser = await openBrowser(executablePath)
      const page = await browser.newPage()

      // Until the pages are built, their place says so, and loads them once they are there.
      await page.goto(server.agentsUrl)
      const field = page.getByLabel('API key')
      await field.waitFor({ timeout: 120_000 })
      await field.fill(key)
      await page.getByRole('button', { name: 'Test and save' }).click()
      await page.getByText('OpenAI is connected').waitFor()

      await page.getByRole('link', { name: 'Add a device' }).click()
      await page.getByText('Waiting for a device').waitFor()
      const command = await page.getByRole('group', { name: 'command' }).innerText()
      const device = startAgentProcess({
        cloudUrl: /https?:\/\/[^/\s]+/.exec(command)?.[0] ?? '',
        name: deviceName,
        roots: [shared],
        stateFolder: join(home.path, 'device-state'),
        intervalMs: 200,
      })
      const [, code = ''] = /enter the code (\S+) at/.exec(await device.line('enter the code')) ?? []
      await page.getByRole('link', { name: 'Enter code' }).click()
      await page.getByRole('textbox', { name: 'Code' }).fill(code)
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Approve' }).click()
      await page.getByText(`${deviceName} is online`).waitFor()

      await page.getByRole('link', { name: 'Chat', exact: true }).click()
      const message = page.getByRole('textbox', { name: /^Message to/ })
      await message.fill('Where is the lease of my garden?')
      await message.press('Enter')
      const answer = page.getByRole('log', { name: /^Conversation with/ })
      await answer.getByText(join(shared, 'garden-lease.md'), { exact: true }).waitFor()
      await answer.getByText(deviceName, { exact: true }).waitFor()
      expect(performance.now() - startedMs).toBeLessThan(mostMs)

      // What the answer cites is one press away, and so is the file.
      await answer.getByRole('link', { name: 'Search and its files' }).click()
      await page.getByRole('row', { name: /garden-lease\.md/ }).click()
      const panel = page.getByRole('complementary', { name: 'garden-lease.md' })
      await panel.getByRole('button', { name: 'Get file' }).click()
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        panel.getByRole('link', { name: /^Download/ }).click(),
      ])
      expect(await readFile(await file.path(), 'utf8')).toBe('The lease of the garden ends in May.')
    },
  )
})

async function openBrowser(program: string) {
  const browser = await chromium.launch({ executablePath: program, args: chromiumArguments })
  const context = await browser.newContext({ locale: 'en-GB' })
  context.setDefaultTimeout(60_000)
  return { newPage: () => context.newPage(), [Symbol.asyncDispose]: () => browser.close() }
}
