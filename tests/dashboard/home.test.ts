import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createUserClient, createDeviceClient } from '@homeward/device-sdk'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectFineInEveryLook } from './expect-accessible.ts'
import { useHandDrivenProvider } from './hand-driven-provider.ts'

const provider = useHandDrivenProvider()

/** A model server that rejects each call until it is repaired. */
let isRepaired = false
const broken = createServer((request, response) => {
  request.resume()
  if (!isRepaired) {
    response.writeHead(400, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ error: { message: 'No such deployment 4711.' } }))
    return
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const choices = [{ index: 0, delta: { role: 'assistant', content: 'Done.' }, finish_reason: 'stop' }]
  response.end(`data: ${JSON.stringify({ id: 'c', model: 'm', choices })}\n\ndata: [DONE]\n\n`)
})
beforeAll(() => new Promise<void>((listening) => broken.listen(0, '127.0.0.1', listening)))
afterAll(() => void broken.close())

describeInBrowser('Home', { environment: { DEMO_MODEL: 'test/echo' }, hasDevice: true }, (world) => {
  it('finds files by words in any order and without accents, from Home, the palette and the form', async () => {
    for (const name of ['invoice Acme 2024-08.txt', 'invoice Müller 2023.txt'])
      await writeFile(join(world.deviceFolder, name), name)
    const page = await world.openPage('agents', '/')
    const expectFile = (name: RegExp) => page.getByRole('rowheader', { name }).waitFor()
    const onHome = page.getByRole('main').getByPlaceholder(/^Find a file/)
    await onHome.fill('acme invoice 2024')
    await onHome.press('Enter')
    await expectFile(/invoice Acme 2024-08/)
    await page.keyboard.press('Control+k')
    const inPalette = page.getByRole('dialog', { name: 'Find or ask' }).locator('input').first()
    await inPalette.fill('muller')
    await inPalette.press('Enter')
    await expectFile(/invoice Müller 2023/)
    await page.goto(`${world.agentsUrl}/searches/new`)
    await page.getByRole('textbox', { name: 'Search for' }).fill('2023 MULLER')
    await page.keyboard.press('Enter')
    await expectFile(/invoice Müller 2023/)
  })

  it('lists devices, agents, pages and settings while somebody types, on every page', async () => {
    await world
      .cloud()
      .registerDevice({ userId: 'local' }, { name: 'Kitchen', type: 'iot', platform: 'linux' })
    const page = await world.openPage('agents', '/agents')
    await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    const dialog = page.getByRole('dialog', { name: 'Find or ask' })
    const field = dialog
      .getByRole('searchbox')
      .or(dialog.getByRole('textbox'))
      .or(dialog.getByRole('combobox'))
    await field.fill('kit')
    await dialog.getByRole('option', { name: /Kitchen/ }).waitFor()
    await expectFineInEveryLook(page)
    await screenshot(page, 'find-dialog')
    await field.fill('dem')
    await dialog.getByRole('option', { name: /^Demo test\/echo Agent/ }).waitFor()
    await field.fill('schedules')
    await dialog.getByRole('option', { name: /^Schedules Automations Page/ }).waitFor()
    await field.fill('anthropic')
    await dialog.getByRole('option', { name: /^Anthropic API key Model providers Setting/ }).waitFor()
    await field.fill('kitchen')
    await dialog.getByRole('option', { name: /Kitchen/ }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Kitchen', level: 1 }).waitFor()
    await dialog.waitFor({ state: 'detached' })
  })

  it('searches the online devices on Enter, and hands the words to an agent on Tab', async () => {
    const page = await world.openPage('agents', '/')
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor()
    await page.getByRole('search', { name: 'Find or ask' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await page.keyboard.type('invoice')
    await page.getByRole('button', { name: 'Search online devices' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/searches\//)
    await page.getByText('invoice').first().waitFor()
    await page.goBack()
    await page.getByRole('search', { name: 'Find or ask' }).waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('Where is my invoice?')
    await page.getByRole('button', { name: 'Ask Demo' }).waitFor()
    await page.keyboard.press('Tab')
    await page.waitForURL(/\/chat\/demo$/)
    const message = page.getByRole('textbox', { name: /^Message to/ })
    await expect.poll(() => message.inputValue()).toBe('Where is my invoice?')
  })

  it('lets a person decide what waits, and counts it in the sidebar and in the title', async () => {
    await world
      .runtime()
      .agents.create({ id: 'writer', model: 'openai/stand-in', approval_tools: ['write_file'] })
    const finished = world.runtime().run({ agent_id: 'writer', task: 'Write a letter' })
    const call = await provider.nextCall('Write a letter')
    call.callTool('write_file', { path: 'letter.md', content: 'Dear neighbor' })
    await finished
    const page = await world.openPage('agents', '/')
    const approval = page.getByRole('group', { name: 'Approval of write_file' })
    await approval.getByText('Dear neighbor').waitFor()
    await page.getByRole('link', { name: 'Home 1 decision waits' }).waitFor()
    await expect.poll(() => page.title()).toBe('(1) Home · Homeward')
    await expectFineInEveryLook(page)
    await screenshot(page, 'home-approval')
    await approval.getByRole('button', { name: 'Approve' }).click()
    const next = await provider.nextCall('Write a letter')
    next.say('It is written.')
    next.end()
    await page.getByRole('link', { name: 'Home', exact: true }).waitFor()
    await expect.poll(() => page.title()).toBe('Home · Homeward')
  })

  it('groups failures by agent and cause, and retries them', async () => {
    const { agents, models } = world.runtime()
    const { port } = broken.address() as AddressInfo // it listens on a port
    await models.saveProvider('broken', { api: 'openai-chat', base_url: `http://127.0.0.1:${port}/v1` })
    await agents.create({ id: 'mailer', name: 'Mailer', model: 'broken/model' })
    for (const task of ['One', 'Two']) await world.runtime().run({ agent_id: 'mailer', task })
    const page = await world.openPage('agents', '/')
    const card = page.getByRole('article', { name: /^Mailer:/ })
    await card.getByText(/No such deployment/).waitFor()
    await card.getByText(/2 runs failed/).waitFor()
    await page.getByText('95 % done within').waitFor()
    await expectFineInEveryLook(page)
    await screenshot(page, 'home-failures')
    isRepaired = true
    await card.getByRole('button', { name: 'Retry all 2 runs' }).click()
    await card.waitFor({ state: 'detached' })
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('content')
    await expect
      .poll(
        async () => (await world.runtime().runs.list({ agentId: 'mailer', status: 'completed' })).runs.length,
      )
      .toBe(2)
  })

  it('names devices that have gone silent and budgets near their end', async () => {
    const client = createUserClient({ baseUrl: world.cloudUrl })
    const { device, apiKey } = await client.registerDevice({
      body: { name: 'Shed', type: 'iot', platform: 'linux' },
    })
    const beat = createDeviceClient({ baseUrl: world.cloudUrl, apiKey })
    await beat.sendHeartbeat({ body: { metadata: {} } })
    expect(device.status).toBe('offline')
    await world.runtime().run({ agent_id: 'demo', task: 'Hi there' })
    await world.runtime().agents.update('demo', { budget: { max_tokens: 5, period: 'day' } })
    const page = await world.openPage('agents', '/')
    await page.getByRole('article', { name: 'The budget of Demo is used up' }).waitFor()
    // The server says when the last heartbeat was: an hour ago, for this test.
    await page.route(/\/device-cloud\/api\/devices\?.*status=offline/, async (route) => {
      const reply = await route.fetch()
      const body = (await reply.json()) as { devices: { name: string; lastSeenAt: string | null }[] }
      const hourAgo = new Date(Date.now() - 3_600_000).toISOString()
      const silent = { ...device, metadata: {}, labels: [], lastSeenAt: hourAgo }
      await route.fulfill({ json: { ...body, devices: [...body.devices, silent] } })
    })
    await page.reload()
    await page.getByRole('article', { name: 'Shed is silent' }).waitFor()
  })

  it('shows the day and the week, in bars and in numbers', async () => {
    const page = await world.openPage('agents', '/')
    await page.getByText('Devices online').waitFor()
    await page.getByRole('radio', { name: '7 days' }).click()
    await page.getByRole('button', { name: 'Runs in numbers' }).click()
    const table = page.getByRole('region', { name: 'Runs in numbers' })
    await expect.poll(() => table.getByRole('row').count()).toBe(8)
    await page.locator('.pulse-plot svg').first().waitFor()
  })

  it('leads from a part of the pulse to its runs, with the mouse and with the keyboard', async () => {
    const page = await world.openPage('agents', '/')
    const plot = page.locator('.pulse-plot svg').first()
    await plot.waitFor()
    await plot.scrollIntoViewIfNeeded()
    const box = await plot.boundingBox()
    if (!box) throw new Error('The plot has no box')
    const middle = box.y + box.height / 2
    await page.mouse.move(box.x + box.width * 0.5, middle)
    await page.mouse.down()
    await page.mouse.move(box.x + box.width * 0.6, middle)
    await page.mouse.move(box.x + box.width * 0.7, middle)
    await page.locator('.recharts-reference-area').first().waitFor()
    await screenshot(page, 'pulse-dragged')
    await page.mouse.up()
    await page.getByRole('heading', { name: 'Activity', level: 1 }).waitFor()
    const dragged = new URL(page.url()).searchParams
    const hours = (Date.parse(dragged.get('to') ?? '') - Date.parse(dragged.get('from') ?? '')) / 3_600_000
    expect(hours).toBeGreaterThan(2)
    expect(hours).toBeLessThan(12)
    await page.getByRole('button', { name: 'From … to … Time' }).waitFor()

    await page.goBack()
    await page.getByRole('button', { name: 'Runs in numbers' }).focus()
    await page.keyboard.press('Enter')
    for (const _ of ['the table', 'the newest hour']) await page.keyboard.press('Tab')
    await expectFineInEveryLook(page)
    await screenshot(page, 'pulse-numbers')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Activity', level: 1 }).waitFor()
    const chosen = new URL(page.url()).searchParams
    expect(Date.now() - Date.parse(chosen.get('from') ?? '')).toBeLessThan(2 * 3_600_000)
    expect(chosen.has('to')).toBe(false)
  })

  it('notifies who asked for it, and only while no page is visible', async () => {
    const page = await world.openPage('agents', '/settings/notifications')
    await page.addInitScript(() => {
      const shown: string[] = []
      class Notice extends EventTarget {
        static permission = 'granted'
        static requestPermission = async () => 'granted'
        constructor(title: string, { body }: { readonly body: string }) {
          super()
          shown.push(`${title}: ${body}`)
        }
      }
      Object.assign(globalThis, { Notification: Notice, shown })
    })
    await page.reload()
    await page.getByRole('switch', { name: 'Notify me' }).click({ force: true })
    const shown = () => page.evaluate(() => (globalThis as unknown as { shown: string[] }).shown)
    const ask = async (task: string) => {
      const run = world.runtime().run({ agent_id: 'writer', task })
      const call = await provider.nextCall(task)
      call.callTool('write_file', { path: 'a.md', content: task })
      await run
    }
    await ask('While visible')
    await page.getByRole('link', { name: 'Home 1 decision waits' }).waitFor()
    await page.evaluate(() => Object.defineProperty(document, 'visibilityState', { value: 'hidden' }))
    await ask('While hidden')
    await expect.poll(shown).toEqual(['A decision waits for you: writer wants to run write_file.'])
  })
})
