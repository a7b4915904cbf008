import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createUserClient, createDeviceClient } from '@homeward/device-sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectFineInEveryLook } from './expect-accessible.ts'

const key = 'sk-right-key-0123456789'

/** A provider that knows one key. */
const openai = createServer((request, response) => {
  request.resume()
  if (request.headers.authorization !== `Bearer ${key}`) {
    response.writeHead(401, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message: 'Incorrect API key.' } }))
  } else if (request.method === 'GET') {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ object: 'list', data: [{ id: 'small-model' }] }))
  } else {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const choices = [
      { index: 0, delta: { role: 'assistant', content: 'Hello, human.' }, finish_reason: 'stop' },
    ]
    response.end(`data: ${JSON.stringify({ id: 'c', model: 'm', choices })}\n\ndata: [DONE]\n\n`)
  }
})

const before = { key: process.env['OPENAI_API_KEY'], url: process.env['OPENAI_BASE_URL'] }
beforeAll(async () => {
  await new Promise<void>((listening) => openai.listen(0, '127.0.0.1', listening))
  const { port } = openai.address() as AddressInfo // it listens on a port
  delete process.env['OPENAI_API_KEY']
  process.env['OPENAI_BASE_URL'] = `http://127.0.0.1:${port}/v1`
})
afterAll(() => {
  openai.close()
  if (before.url === undefined) delete process.env['OPENAI_BASE_URL']
  else process.env['OPENAI_BASE_URL'] = before.url
  if (before.key !== undefined) process.env['OPENAI_API_KEY'] = before.key
})

describeInBrowser('the first steps', { hasDevice: true }, (world) => {
  it('tells in plain words that the first replies come from a test model', async () => {
    const page = await world.openPage('agents', '/chat/demo')
    const message = page.getByRole('textbox', { name: /^Message to/ })
    await message.fill('hello, can you help me plan my week?')
    await message.press('Enter')
    await page
      .getByText(/I am the built-in test model, not a language model/)
      .first()
      .waitFor()
  })

  it('are done when each has really happened', async () => {
    const page = await world.openPage('agents', '/')
    await page.getByText('0 of 4 done').waitFor()
    await expectFineInEveryLook(page)
    await screenshot(page, 'first-steps')
    const field = page.getByLabel('API key')
    await field.fill('sk-wrong-key')
    await field.press('Enter')
    await page
      .getByText(/Testing the key failed:.*(401|key)/i)
      .first()
      .waitFor()
    await field.fill(key)
    await field.press('Enter')
    await page.getByText('OpenAI is connected').waitFor()
    await page.getByText('1 of 4 done').waitFor()
    expect((await world.runtime().agents.find('demo'))?.model).toBe('openai/small-model')

    await page.getByRole('link', { name: 'Talk to Demo' }).click()
    await page.getByRole('textbox', { name: /^Message to/ }).press('Enter')
    await page.getByText('Hello, human.', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    await page.getByText('2 of 4 done').waitFor()

    const client = createUserClient({ baseUrl: world.cloudUrl })
    const { apiKey } = await client.registerDevice({ body: { name: 'Pi', type: 'iot', platform: 'linux' } })
    await createDeviceClient({ baseUrl: world.cloudUrl, apiKey }).sendHeartbeat({ body: { metadata: {} } })
    await page.getByText('3 of 4 done').waitFor()

    await world.runtime().agents.update('demo', { schedule: '0 8 * * *' })
    await page.reload()
    await page.getByRole('article', { name: 'Next automations' }).waitFor()
    await page.getByText('All quiet. No run has failed.').waitFor()
    expect(await page.getByRole('heading', { name: 'First steps' }).count()).toBe(0)
  })
})
