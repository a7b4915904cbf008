import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeInBrowser } from '../browser.ts'
import { useHandDrivenProvider } from '../hand-driven-provider.ts'

const provider = useHandDrivenProvider()
const within = { timeout: 30_000 }

/** A model server that refuses each call. */
const broken = createServer((request, response) => {
  request.resume()
  response.writeHead(400, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ error: { message: 'No such deployment 4711.' } }))
})
beforeAll(() => new Promise<void>((listening) => broken.listen(0, '127.0.0.1', listening)))
afterAll(() => void broken.close())

describeInBrowser('what people tried with agents', { environment: { DEMO_MODEL: 'test/echo' } }, (world) => {
  beforeAll(async () => {
    const { agents, models } = world.runtime()
    const { port } = broken.address() as AddressInfo // it listens on a port
    await models.saveProvider('broken', { api: 'openai-chat', base_url: `http://127.0.0.1:${port}/v1` })
    await agents.create({ id: 'mailer', name: 'Mailer', model: 'broken/model' })
    await agents.create({ id: 'writer', name: 'Writer', model: 'openai/gpt-5.4' })
  })

  async function say(task: string, answer: string): Promise<void> {
    const call = await provider.nextCall(task)
    call.say(answer)
    call.end()
  }

  it('finding 4: a failed run shows its calls, what was sent and why it failed, and runs again', async () => {
    const { run_id: runId } = await world.runtime().run({ agent_id: 'mailer', task: 'Send the report' })
    const page = await world.openPage('agents', `/runs/${runId}`)
    const tree = page.getByRole('tree', { name: 'Steps of the run' })
    // the second call finds out whether the text was refused
    await tree
      .getByRole('treeitem', { name: /^Model call, failed: broken\/model/ })
      .first()
      .waitFor()
    const panel = page.getByRole('region', { name: 'Chosen step' })
    await panel.getByText('Send the report').waitFor()
    await panel
      .getByText(/No such deployment 4711/)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Run again', exact: true }).waitFor()
  })

  it('findings 4 and 5: a run shows its words as they come, and what it has cost in the end', async () => {
    const { runId } = await world.runtime().stream({ agent_id: 'writer', task: 'Write a poem' })
    const page = await world.openPage('agents', `/runs/${runId}`)
    const call = await provider.nextCall('Write a poem')
    call.say('Half a line')
    await page.getByRole('region', { name: 'Chosen step' }).getByText('Half a line').waitFor()
    call.say(', and the rest.')
    call.end()
    await page.locator('.page-header').getByText('completed').waitFor()
    const cost = page.locator('.run-facts').getByText(/\$0\.\d+/)
    await cost.waitFor()
    await page.getByRole('link', { name: 'Activity', exact: true }).first().click()
    await page
      .getByRole('row', { name: /Write a poem/ })
      .getByText(/\$0\.\d+/)
      .waitFor()
  })

  it('finding 6: Home says what has failed, by agent and cause, and how the day was', async () => {
    await world.runtime().run({ agent_id: 'mailer', task: 'Send the second report' })
    const page = await world.openPage('agents', '/')
    const card = page.getByRole('article', { name: /^Mailer:/ })
    await card.getByText(/No such deployment/).waitFor()
    await card.getByText(/\d+ runs failed/).waitFor()
    await page.getByRole('button', { name: 'Runs in numbers' }).click()
    await page.getByRole('region', { name: 'Runs in numbers' }).getByRole('row').nth(1).waitFor()
  })

  it('finding 8: an answer is copied and asked for again, a failed one too', async () => {
    const page = await world.openPage('agents', '/chat/writer')
    const message = page.getByRole('textbox', { name: /^Message to/ })
    await message.fill('Name a color')
    await message.press('Enter')
    await say('Name a color', 'Green.')
    await page.getByRole('button', { name: 'Copy answer' }).click()
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('Green.')
    await page.getByRole('button', { name: 'Retry' }).click()
    await say('Name a color', 'Blue.')
    await page.getByText('Blue.', { exact: true }).waitFor()
    await page.goto(`${world.agentsUrl}/chat/mailer`)
    await message.fill('Send it')
    await message.press('Enter')
    await page.getByText('The model did not answer', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Retry' }).waitFor()
  })

  it('finding 9: runs are found by words and time, and sorted by a header', async () => {
    const page = await world.openPage('agents', '/runs')
    await page.getByRole('searchbox', { name: 'Words' }).fill('poem')
    await page.getByRole('row', { name: /Write a poem/ }).waitFor()
    await page.getByRole('row', { name: /Send the report/ }).waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Cost' }).click()
    await page
      .getByRole('columnheader', { name: 'Cost' })
      .and(page.locator('[aria-sort=descending]'))
      .waitFor()
    await page.getByRole('button', { name: 'Save view' }).waitFor()
  })

  it('finding 10: an agent takes a template, a name and a model, and one that cannot run is refused', async () => {
    const page = await world.openPage('agents', '/agents/_new')
    await page.getByRole('button', { name: /Template$/ }).click()
    await page.getByRole('option').nth(1).click()
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Word helper')
    expect(await page.getByRole('textbox', { name: 'Turns' }).isVisible()).toBe(false)
    const model = page.getByRole('combobox', { name: /^Model/ })
    await model.fill('gpt-4o-mini')
    await model.press('Tab') // the list hides the rest of the page while it is open
    await page.getByRole('button', { name: 'Create agent' }).click()
    await page.getByText(/"gpt-4o-mini" names no provider/).waitFor()
    expect(await page.getByText('Saved', { exact: true }).count()).toBe(0)
    await model.fill('test/echo')
    await model.press('Tab')
    await page.getByRole('button', { name: 'Create agent' }).click()
    await page.getByRole('heading', { level: 1, name: 'Word helper' }).waitFor()
    await page.getByRole('textbox', { name: 'Test message' }).waitFor()
  })

  it('smaller: a graph that reads its input does not run without one', async () => {
    const { graphs, runs } = world.runtime()
    await graphs.create({ id: 'echoes', nodes: [{ id: 'first', agent: 'demo' }], edges: [] })
    const page = await world.openPage('agents', '/graphs/echoes')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('Enter an input. This graph reads it.').waitFor()
    expect((await runs.list({ graphId: 'echoes' })).runs).toEqual([])
    await page.getByRole('textbox', { name: 'Input' }).fill('Hello')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await expect.poll(async () => (await runs.list({ graphId: 'echoes' })).runs.length, within).toBe(1)
  })

  it('finding 11: an agent gets two schedules in words, and one runs at once', async () => {
    const page = await world.openPage('agents', '/schedules')
    for (const [name, time] of [
      ['Morning', '08:30'],
      ['Evening', '18:00'],
    ] as const) {
      await page.getByRole('button', { name: 'New schedule' }).click()
      const dialog = page.getByRole('dialog', { name: 'New schedule' })
      await dialog.getByRole('button', { name: /Agent/ }).click()
      await page.getByRole('option', { name: 'Demo' }).click()
      await dialog.getByRole('textbox', { name: 'Task' }).fill('List new files')
      await dialog.getByRole('textbox', { name: 'Time', exact: true }).fill(time)
      await dialog.getByRole('textbox', { name: 'Name' }).fill(name)
      await dialog.getByRole('button', { name: 'Create schedule' }).click()
      await page.getByRole('row', { name: new RegExp(`${name}.*Every weekday at ${time}`) }).waitFor()
    }
    await page.getByRole('row', { name: /Evening/ }).click()
    await page.getByRole('button', { name: 'Run now' }).click()
    await page.waitForURL('**/tasks/*')
  })
})
