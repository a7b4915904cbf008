import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { describeInBrowser, screenshot } from './browser.ts'
import { chooseAction } from './test-pages.ts'

/** A server that lists two models, as Ollama does. @returns its base URL */
async function serveModels(): Promise<string> {
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ object: 'list', data: [{ id: 'qwen3:8b' }, { id: 'library/llama' }] }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => server.close().closeAllConnections())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
}

const key = 'sk-secret-of-this-test-0123456789'

describeInBrowser('own model providers', {}, (world) => {
  const config = async () =>
    JSON.parse(await readFile(join(world.home, 'data', 'config.json'), 'utf8')) as object

  it('are added, offer their models to agents, are changed and deleted', async () => {
    const baseUrl = await serveModels()
    const page = await world.openPage('agents', '/settings')
    const card = page.locator('section.card').filter({ hasText: 'Own model providers' })
    await card.getByRole('button', { name: 'Add a provider' }).click()
    await card.getByLabel('Name').fill('local')
    await card.getByLabel('Base URL').fill('not a url')
    await card.getByRole('button', { name: 'Test and save' }).click()
    await card.getByText('Must be an http or https URL').waitFor()
    await card.getByLabel('Base URL').fill(baseUrl)
    await card.getByLabel('API key').fill(key)
    await card.getByRole('button', { name: 'Test and save' }).click()
    await page.getByText('models found. The agent Demo uses local/').waitFor()
    await card.getByText('OpenAI Chat Completions, with a key').waitFor()
    expect(await config()).toMatchObject({ model_providers: { local: { base_url: baseUrl, api_key: key } } })
    expect(await page.content()).not.toContain(key)
    await card.scrollIntoViewIfNeeded()
    await screenshot(page, 'model-providers')

    await page.goto(new URL('/agents/_new', page.url()).href)
    const model = page.getByRole('combobox', { name: /^Model/ })
    await model.fill('local/lib')
    await page.getByRole('option', { name: 'local/library/llama' }).click()
    expect(await model.inputValue()).toBe('local/library/llama')
    await model.fill('')

    await page.goto(new URL('/settings', page.url()).href)
    await chooseAction(page, 'Change', 'Actions of local')
    await card.getByRole('button', { name: 'Remove: API key' }).click()
    await card.getByRole('button', { name: 'Test and save' }).click()
    await card.getByText('OpenAI Chat Completions, without a key').waitFor()
    await chooseAction(page, 'Delete provider', 'Actions of local')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete provider' }).click()
    await expect.poll(config).toEqual({ model_providers: {} })
  })
})
