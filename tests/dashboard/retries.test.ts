import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, it } from 'vitest'
import { describeInBrowser } from './browser.ts'

/** A model server that is always busy, and asks to come back in 20 seconds. */
const busy = createServer((request, response) => {
  request.resume()
  response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '20' })
  response.end(JSON.stringify({ error: { message: 'Too busy.' } }))
})
beforeAll(() => new Promise<void>((listening) => busy.listen(0, '127.0.0.1', listening)))
afterAll(() => void busy.close())

describeInBrowser('the chat', {}, (world) => {
  it('says when and why a model is called again', async () => {
    const { models, agents } = world.runtime()
    const { port } = busy.address() as AddressInfo // it listens on a port
    await models.saveProvider('busy', { api: 'openai-chat', base_url: `http://127.0.0.1:${port}/v1` })
    await agents.create({ id: 'patient', name: 'Patient', model: 'busy/model' })
    const page = await world.openPage('agents', '/chat/patient')
    const composer = page.getByRole('textbox', { name: /^Message to/ })
    await composer.fill('Hello')
    await composer.press('Enter')
    await page
      .getByText(/Trying again in \d\d s: the provider responded with status 503: Too busy\./)
      .waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('You stopped the run.').waitFor()
  })
})
