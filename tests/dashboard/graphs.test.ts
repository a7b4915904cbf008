import type { Page, Route } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { reloadAsking } from './reload-asking.ts'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectFineInEveryLook, expectNoSidewaysScroll, goTo } from './expect-accessible.ts'
import { type ModelCall, useHandDrivenProvider } from './hand-driven-provider.ts'
import { loseAnswer } from './lose-answer.ts'
import { chooseAction } from './test-pages.ts'

const provider = useHandDrivenProvider()

/** How long the page may take for what a test waits for, with other tests beside it. */
const within = { timeout: 30_000 }

/** The form of a node or an edge, folded or not. */
const form = (page: Page, name: string) => page.locator('.disclosure-trigger').filter({ hasText: name })

/** The box of a node in the drawing. */
const box = (page: Page, name: string) => page.locator('.graph-node').filter({ hasText: name })
const statusOf = (page: Page, name: string) => box(page, name).getAttribute('data-status')
const runStatus = (page: Page) => page.getByRole('main').getByRole('status')

async function choose(page: Page, field: string, option: string | RegExp): Promise<void> {
  await page.getByRole('button', { name: field }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

/** Runs the graph of the page. @returns the call of its agent's model. */
async function startRun(page: Page, input: string): Promise<ModelCall> {
  await page.getByRole('textbox', { name: 'Input' }).fill(input)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  return provider.nextCall(input)
}

/** Holds back the next request of this kind. @returns it, once the page has sent it. */
async function holdNext(
  page: Page,
  method: string,
  path: string,
): Promise<{ readonly sent: Promise<Route> }> {
  const { promise: sent, resolve } = Promise.withResolvers<Route>()
  let isHeld = false
  await page.route(path, async (route) => {
    if (isHeld || route.request().method() !== method) return route.fallback()
    isHeld = true
    return resolve(route)
  })
  return { sent }
}

async function addNode(page: Page, name: string, agent: string, task: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a node' }).click()
  await fillNode(page, name, agent, task)
}

async function fillNode(page: Page, name: string, agent: string, task: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Name' }).first().fill(name)
  await choose(page, 'Agent', agent)
  await page.getByRole('textbox', { name: 'Task' }).fill(task)
}

async function addEdge(page: Page, from: string, to: string): Promise<void> {
  await choose(page, 'New edge from', from)
  await page
    .getByRole('button', { name: /^(Choose … )?to$|to$/ })
    .last()
    .click()
  await page.getByRole('option', { name: to, exact: true }).click()
  await page.getByRole('button', { name: 'Add', exact: true }).click()
}

const hostile = '<img src=x onerror="window.wasRun=1"> [x](javascript:window.wasRun=1) \u202Eevil'

describeInBrowser('the pages of graphs', { environment: { DEMO_MODEL: 'test/echo' } }, (world) => {
  beforeEach(async () => {
    const { agents, graphs } = world.runtime()
    if (await agents.find('echo')) return
    await agents.create({ id: 'echo', model: 'test/echo' })
    await agents.create({ id: 'slow', model: 'openai/stand-in', approval_tools: ['write_file'] })
    await agents.create({ id: 'keyless', model: 'anthropic/any-model' })
    await graphs.create({
      id: 'report-once',
      description: 'Said and scheduled',
      schedule: '0 8 * * 1',
      schedule_enabled: false,
      nodes: [{ id: 'one', agent: 'echo' }],
    })
    await graphs.create({
      id: 'mixed',
      name: 'Mixed',
      nodes: [
        { id: 'good', agent: 'slow' },
        { id: 'bad', agent: 'keyless' },
        { id: 'after', agent: 'echo', input: 'After {{good}}' },
        { id: 'never', agent: 'echo' },
      ],
      edges: [
        { from: 'good', to: 'after' },
        { from: 'bad', to: 'never', when: { contains: 'x' } },
      ],
    })
  })

  it('draw a new graph from the forms alone, run it, and show what each node said', async () => {
    const page = await world.openPage('agents', '/graphs')
    await page.getByRole('link', { name: 'New graph' }).first().click()
    await form(page, 'step-1').click()
    await fillNode(page, 'facts', 'echo', 'Facts about {{input}}')
    await addNode(page, 'text', 'echo', 'A page: {{facts}}')
    await form(page, 'facts → text').click() // the node was added while the other was open
    await page.getByRole('textbox', { name: '… contains' }).fill('HEAT')
    await page.getByRole('textbox', { name: 'Id' }).fill('report')
    await page.getByRole('textbox', { name: 'Name' }).last().fill('Weekly report')
    await page.locator('.react-flow__edge-text', { hasText: 'contains' }).waitFor()
    await screenshot(page, 'graph-editor')
    const create = page.getByRole('button', { name: 'Create', exact: true })
    await page.route('**/api/graphs', loseAnswer, { times: 1 })
    await create.click()
    await page.getByText('The server does not respond').waitFor()
    await create.click()

    await page.waitForURL(/\/graphs\/report$/)
    expect(await world.runtime().graphs.get('report')).toMatchObject({
      name: 'Weekly report',
      nodes: [
        { id: 'facts', agent: 'echo', input: 'Facts about {{input}}' },
        { id: 'text', agent: 'echo', input: 'A page: {{facts}}' },
      ],
      edges: [{ from: 'facts', to: 'text', when: { contains: 'HEAT' } }],
    })
    await page.getByRole('textbox', { name: 'Input' }).fill('heat pumps')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await runStatus(page).getByText('completed').waitFor()
    await expect.poll(() => statusOf(page, 'text'), within).toBe('completed')
    await page.getByRole('region', { name: 'Output' }).getByText('A page: Facts about heat pumps').waitFor()
    await box(page, 'facts').click()
    await page.getByRole('heading', { name: 'Node facts' }).waitFor()
    await page.getByText('Facts about heat pumps', { exact: true }).first().waitFor()
  })

  it('show the states of nodes as they change, after a reload too, and why one failed', async () => {
    const page = await world.openPage('agents', '/graphs/mixed')
    const call = await startRun(page, 'to be reloaded')
    await expect.poll(() => statusOf(page, 'good'), within).toBe('running')
    await expect.poll(() => statusOf(page, 'bad'), within).toBe('failed')
    await expect.poll(() => statusOf(page, 'never'), within).toBe('skipped')
    expect(await statusOf(page, 'after')).toBe('pending')
    await screenshot(page, 'graph-run')

    await page.reload()
    await expect.poll(() => statusOf(page, 'good'), within).toBe('running')
    call.say('done')
    call.end()
    await runStatus(page).getByText('failed').waitFor()
    expect(await statusOf(page, 'after')).toBe('completed')
    await page
      .getByRole('alert')
      .getByText(/node "bad" failed: .*API key of .* is missing/)
      .waitFor()
    await page.getByRole('button', { name: /^bad/ }).last().click()
    await page.getByRole('heading', { name: /Node failed: model_not_configured/ }).waitFor()
  })

  it('show a node that waits for a person, and go on after the decision', async () => {
    const page = await world.openPage('agents', '/graphs/mixed')
    const call = await startRun(page, 'to be approved')
    call.callTool('write_file', { path: 'a.md', content: 'x' })
    await expect.poll(() => statusOf(page, 'good'), within).toBe('waiting')
    const approval = page.getByRole('group', { name: 'Approval of write_file' })
    await approval.getByRole('button', { name: 'Approve' }).click()
    const next = await provider.nextCall('to be approved')
    // No event of the run tells it, to a page that begins anew neither.
    await expect.poll(() => statusOf(page, 'good'), within).toBe('running')
    await page.reload()
    await expect.poll(() => statusOf(page, 'good'), within).toBe('running')
    expect(await approval.count()).toBe(0)
    next.end()
    await expect.poll(() => statusOf(page, 'after'), within).toBe('completed')
  })

  it('begin one run, also when the answer was lost and it is asked for again', async () => {
    const page = await world.openPage('agents', '/graphs/report-once')
    await page.route('**/api/graphs/run/stream', loseAnswer, { times: 1 })
    await page.getByText('Said and scheduled').waitFor()
    await page.getByText('Schedule 0 8 * * 1 (off)').waitFor()
    await page.getByRole('textbox', { name: 'Input' }).fill('lost')
    expect(await reloadAsking(page)).toBe(true)
    await page.getByRole('textbox', { name: 'Input' }).fill('once')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByRole('alert').waitFor()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await runStatus(page).getByText('completed').waitFor()
    expect((await world.runtime().runs.list({ graphId: 'report-once' })).runs).toHaveLength(1)
    expect(await reloadAsking(page)).toBe(false)
  })

  it('stop a run', async () => {
    const page = await world.openPage('agents', '/graphs/mixed')
    await startRun(page, 'to be stopped')
    await page.getByRole('button', { name: 'Stop' }).click()
    await runStatus(page).getByText('cancelled').waitFor()
  })

  it('go on showing a run after the server was started again', async () => {
    const page = await world.openPage('agents', '/graphs/mixed')
    await startRun(page, 'to be restarted')
    await expect.poll(() => statusOf(page, 'good'), within).toBe('running')
    await world.restart()
    const again = await provider.nextCall('to be restarted')
    again.say('after all')
    again.end()
    await expect.poll(() => statusOf(page, 'after'), { timeout: 40_000 }).toBe('completed')
    await runStatus(page).getByText('failed').waitFor()
  })

  it('put what is wrong with a graph at its node, and keep what was typed', async () => {
    const page = await world.openPage('agents', '/graphs/mixed/edit')
    await form(page, 'after').first().click()
    await page.getByRole('textbox', { name: 'Task' }).fill('{{nobody}}')
    await page.getByRole('button', { name: 'Save' }).click()
    const alert = page.getByRole('alert')
    await alert.getByText('Node after, input: {{nobody}} must be {{input}}').waitFor()
    expect(await box(page, 'after').getAttribute('data-problem')).toBe('true')
    const field = page.getByRole('textbox', { name: 'Task' })
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    expect(await field.inputValue()).toBe('{{nobody}}')
    await field.fill('{{good}}')
    await alert.waitFor({ state: 'detached' })

    // A cycle belongs to no single place.
    await addEdge(page, 'after', 'good')
    await page.getByRole('button', { name: 'Save' }).click()
    await alert.getByText(/Graph, edges: the edges must not form a cycle/).waitFor()
  })

  it('ask before what was changed is lost, and before a graph is deleted', async () => {
    await world.runtime().graphs.create({ id: 'short', nodes: [{ id: 'one', agent: 'echo' }] })
    const page = await world.openPage('agents', '/graphs/short/edit')
    await page.getByRole('button', { name: 'Add a node' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator('#content:focus').waitFor() // there is nothing more to undo
    await page.getByRole('button', { name: 'Redo' }).click()
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard changes' }).click()
    await page.waitForURL(/\/graphs\/short$/)
    await chooseAction(page, 'Delete graph')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete graph' }).click()
    await page.waitForURL(/\/graphs$/)
    expect(await world.runtime().graphs.find('short')).toBeUndefined()
  })

  it('stay with what is written while a graph is being saved, until that is saved too', async () => {
    const { graphs } = world.runtime()
    await graphs.create({ id: 'written', nodes: [{ id: 'one', agent: 'echo' }] })
    const page = await world.openPage('agents', '/graphs/written/edit')
    await page.getByRole('button', { name: 'Save' }).waitFor()
    await graphs.update('written', { name: 'Of another tab' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The graph was changed elsewhere since you opened it.').waitFor()
    expect(await graphs.get('written')).toMatchObject({ name: 'Of another tab' })
    const held = await holdNext(page, 'PUT', '**/api/graphs/written')
    const name = page.getByRole('textbox', { name: 'Name' }).last()
    await name.fill('As it was sent')
    await page.getByRole('button', { name: 'Save' }).click()
    const saving = await held.sent
    await name.fill('Written meanwhile')
    await saving.continue()
    await page.getByText('Your later changes are not saved yet').waitFor()
    expect(await name.inputValue()).toBe('Written meanwhile')
    expect(await graphs.get('written')).toMatchObject({ name: 'As it was sent' })
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/\/graphs\/written$/)
    expect(await graphs.get('written')).toMatchObject({ name: 'Written meanwhile' })
  })

  it('go on with a new graph where something was written while it was being created', async () => {
    const page = await world.openPage('agents', '/graphs/_new')
    const held = await holdNext(page, 'POST', '**/api/graphs')
    await page.getByRole('textbox', { name: 'Id' }).fill('new-written')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const creating = await held.sent
    const name = page.getByRole('textbox', { name: 'Name' }).last()
    await name.fill('Written meanwhile')
    await page.getByRole('textbox', { name: 'Id' }).fill('too late')
    await creating.continue()
    await page.getByText('Your later changes are not saved yet').waitFor()
    expect(await name.inputValue()).toBe('Written meanwhile')
    expect(await page.getByRole('textbox', { name: 'Id' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/\/graphs\/new-written$/)
    expect(await world.runtime().graphs.get('new-written')).toMatchObject({ name: 'Written meanwhile' })
  })

  it('connect and remove nodes in the drawing', async () => {
    await world.runtime().graphs.create({
      id: 'drawn',
      nodes: [
        { id: 'left', agent: 'echo' },
        { id: 'right', agent: 'echo' },
      ],
    })
    const page = await world.openPage('agents', '/graphs/drawn/edit')
    await box(page, 'left')
      .locator('.react-flow__handle.source')
      .dragTo(box(page, 'right').locator('.react-flow__handle.target'))
    await page.getByRole('button', { name: 'left → right' }).waitFor()
    const said = page.getByRole('main').getByRole('status')
    await said.getByText('Added: the edge from left to right.').waitFor()
    await page.locator('.react-flow__node').filter({ hasText: 'left' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('application').getByRole('button', { name: 'left', pressed: true }).waitFor()
    await page.keyboard.press('Delete')
    await box(page, 'left').waitFor({ state: 'detached' })
    await said.getByText('Removed: left, the edge from left to right.').waitFor()
    await page.locator('main:focus').waitFor() // not lost with the box
    await page.keyboard.press('Control+z')
    await box(page, 'left').waitFor()
    await said.getByText('Added: left, the edge from left to right.').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByRole('button', { name: 'left → right' }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Redo' }).click()
    await page.getByRole('button', { name: 'left → right' }).waitFor()
    await page.keyboard.press('Control+Shift+Z')
    await box(page, 'left').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/\/graphs\/drawn$/)
    const hints = page.locator('[id^="react-flow__node-desc"]')
    await hints.getByText('Press Enter to select, Escape to deselect.').waitFor({ state: 'attached' })
    expect(await world.runtime().graphs.get('drawn')).toMatchObject({ nodes: [{ id: 'right' }], edges: [] })
  })

  it('schedule a graph, with the times that come', async () => {
    await world.runtime().graphs.create({ id: 'timed', nodes: [{ id: 'one', agent: 'echo' }] })
    const page = await world.openPage('agents', '/graphs/timed/edit')
    await page.getByRole('button', { name: 'Schedule' }).click()
    const cron = page.getByRole('textbox', { name: 'Cron expression' })
    await cron.fill('each monday')
    await page.getByRole('button', { name: 'Schedule' }).click()
    await cron.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Save' }).click()
    // Folded away, it comes back with what is wrong in it.
    await cron.fill('0 8 * * 1')
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Europe/Berlin')
    await page.keyboard.press('Tab')
    await expect
      .poll(() => page.getByRole('region', { name: 'Next times' }).getByRole('listitem').count(), within)
      .toBe(5)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/\/graphs\/timed$/)
    expect(await world.runtime().graphs.get('timed')).toMatchObject({
      schedule: '0 8 * * 1',
      timezone: 'Europe/Berlin',
    })
  })

  it('never run what strangers wrote', async () => {
    const { agents, graphs } = world.runtime()
    await graphs.create({
      id: 'hostile',
      name: hostile + 'n'.repeat(100),
      description: hostile,
      nodes: [
        { id: 'a', agent: 'echo', input: hostile },
        { id: 'b', agent: 'echo' },
      ],
      edges: [{ from: 'a', to: 'b', when: hostile }],
    })
    expect(await agents.find('echo')).toBeDefined()
    const { run_id: runId } = await graphs.run({ graph_id: 'hostile', input: hostile })
    const page = await world.openPage('agents', '/', { viewport: { width: 360, height: 800 } })
    for (const path of ['/graphs', `/graphs/hostile?run=${runId}`, '/graphs/hostile/edit']) {
      await page.goto(world.agentsUrl + path)
      await page.getByText('onerror=').first().waitFor()
      expect(await page.evaluate(() => 'wasRun' in globalThis)).toBe(false)
      expect(await page.locator('main img, main a[href^="javascript"]').count()).toBe(0)
      await expectNoSidewaysScroll(page)
    }
  })

  it('are accessible and fit every window, light and dark', async () => {
    const { runId } = await world.runtime().graphs.start({ graph_id: 'mixed', input: 'to be looked at' })
    const page = await world.openPage('agents', '/graphs')
    await page.getByRole('link', { name: 'Mixed' }).first().waitFor()
    await expectFineInEveryLook(page)
    await goTo(page, `/graphs/mixed?run=${runId}`, page.locator('.graph-node[data-status=failed]'))
    await expectFineInEveryLook(page)
    await goTo(page, '/graphs/mixed/edit', form(page, 'good'))
    await form(page, 'good').first().click()
    await expectFineInEveryLook(page)
    await goTo(page, '/graphs/_new', page.getByRole('button', { name: 'Create', exact: true }))
    await expectFineInEveryLook(page)
  })
})
