import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectAccessible, expectNoSidewaysScroll, inTurn } from './expect-accessible.ts'
import { type HandDrivenProvider, type ModelCall, startHandDrivenProvider } from './hand-driven-provider.ts'

let provider: HandDrivenProvider
beforeAll(async () => {
  provider = await startHandDrivenProvider()
  vi.stubEnv('OPENAI_API_KEY', 'sk-stand-in-key')
  vi.stubEnv('OPENAI_BASE_URL', provider.url)
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await provider[Symbol.asyncDispose]()
})

/** How long the page may take for what a test waits for, with other tests beside it. */
const within = { timeout: 30_000 }

/** The call of the model whose prompt has this text; those of other runs go on waiting for their answers. */
async function callWith(text: string): Promise<ModelCall> {
  for (;;) {
    const call = await provider.nextCall()
    if (call.prompt.includes(text)) return call
  }
}

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
  return callWith(input)
}

async function addNode(page: Page, name: string, agent: string, task: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a node' }).click()
  await fillNode(page, name, agent, task)
}

async function fillNode(page: Page, name: string, agent: string, task: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Name' }).first().fill(name)
  await choose(page, 'Agent', agent)
  await page.getByRole('textbox', { name: 'Its task' }).fill(task)
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
    await addEdge(page, 'facts', 'text')
    await page.getByRole('textbox', { name: '… contains' }).fill('HEAT')
    await page.getByRole('textbox', { name: 'Id' }).fill('report')
    await page.getByRole('textbox', { name: 'Name' }).last().fill('Weekly report')
    await page.locator('.react-flow__edge-text', { hasText: 'contains' }).waitFor()
    await screenshot(page, 'graph-editor')
    await page.getByRole('button', { name: 'Create', exact: true }).click()

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
      .getByText(/node "bad" failed: .*no API key/)
      .waitFor()
    await page.getByRole('button', { name: /^bad/ }).last().click()
    await page.getByRole('heading', { name: /It failed: model_not_configured/ }).waitFor()
  })

  it('show a node that waits for a person, and go on after the decision', async () => {
    const page = await world.openPage('agents', '/graphs/mixed')
    const call = await startRun(page, 'to be approved')
    call.callTool('write_file', { path: 'a.md', content: 'x' })
    await expect.poll(() => statusOf(page, 'good'), within).toBe('waiting')
    const approval = page.getByRole('region', { name: 'Approval of write_file' })
    await approval.getByRole('button', { name: 'Approve' }).click()
    const next = await callWith('to be approved')
    next.end()
    await expect.poll(() => statusOf(page, 'after'), within).toBe('completed')
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
    const again = await callWith('to be restarted')
    again.say('after all')
    again.end()
    await expect.poll(() => statusOf(page, 'after'), { timeout: 40_000 }).toBe('completed')
    await runStatus(page).getByText('failed').waitFor()
  })

  it('put what is wrong with a graph at its node, and keep what was typed', async () => {
    const page = await world.openPage('agents', '/graphs/mixed/edit')
    await form(page, 'after').first().click()
    await page.getByRole('textbox', { name: 'Its task' }).fill('{{nobody}}')
    await page.getByRole('button', { name: 'Save' }).click()
    const alert = page.getByRole('alert')
    await alert.getByText('Node after, input: {{nobody}} is neither').waitFor()
    expect(await box(page, 'after').getAttribute('data-problem')).toBe('true')
    const field = page.getByRole('textbox', { name: 'Its task' })
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    expect(await field.inputValue()).toBe('{{nobody}}')
    await field.fill('{{good}}')
    await alert.waitFor({ state: 'detached' })

    // A cycle belongs to no single place.
    await addEdge(page, 'after', 'good')
    await page.getByRole('button', { name: 'Save' }).click()
    await alert.getByText(/Graph, edges: the nodes wait for each other/).waitFor()
  })

  it('ask before what was changed is lost, and before a graph is deleted', async () => {
    await world.runtime().graphs.create({ id: 'short', nodes: [{ id: 'one', agent: 'echo' }] })
    const page = await world.openPage('agents', '/graphs/short/edit')
    await page.getByRole('button', { name: 'Add a node' }).click()
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard changes' }).click()
    await page.waitForURL(/\/graphs\/short$/)
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete graph' }).click()
    await page.waitForURL(/\/graphs$/)
    expect(await world.runtime().graphs.find('short')).toBeUndefined()
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
    await page.locator('.react-flow__node').filter({ hasText: 'left' }).focus()
    await page.keyboard.press('Enter')
    await page.keyboard.press('Delete')
    await box(page, 'left').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.waitForURL(/\/graphs\/drawn$/)
    expect(await world.runtime().graphs.get('drawn')).toMatchObject({ nodes: [{ id: 'right' }], edges: [] })
  })

  it('schedule a graph, with the times that come', async () => {
    await world.runtime().graphs.create({ id: 'timed', nodes: [{ id: 'one', agent: 'echo' }] })
    const page = await world.openPage('agents', '/graphs/timed/edit')
    await page.getByRole('button', { name: 'Schedule' }).click()
    await page.getByRole('textbox', { name: 'Cron expression' }).fill('0 8 * * 1')
    await page.getByRole('textbox', { name: 'Time zone' }).fill('Europe/Berlin')
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
      name: hostile,
      description: hostile,
      nodes: [
        { id: 'a', agent: 'echo', input: hostile },
        { id: 'b', agent: 'echo' },
      ],
      edges: [{ from: 'a', to: 'b', when: hostile }],
    })
    expect(await agents.find('echo')).toBeDefined()
    const { run_id: runId } = await graphs.run({ graph_id: 'hostile', input: hostile })
    for (const path of ['/graphs', `/graphs/hostile?run=${runId}`, '/graphs/hostile/edit']) {
      const page = await world.openPage('agents', path)
      await page.getByText('onerror=').first().waitFor()
      expect(await page.evaluate(() => 'wasRun' in globalThis)).toBe(false)
      expect(await page.locator('main img, main a[href^="javascript"]').count()).toBe(0)
    }
  })

  it.each([
    ['light', 360],
    ['dark', 1920],
  ] as const)('are accessible and fit the window, %s at %i pixels', async (colorScheme, width) => {
    const { runId } = await world.runtime().graphs.start({ graph_id: 'mixed', input: 'to be looked at' })
    const page = await world.openPage('agents', '/graphs', { colorScheme, viewport: { width, height: 800 } })
    for (const path of inTurn(colorScheme, [
      '/graphs',
      `/graphs/mixed?run=${runId}`,
      '/graphs/mixed/edit',
      '/graphs/_new',
      '/',
    ])) {
      await page.goto(new URL(path, page.url()).href)
      await page.getByRole('heading', { level: 1 }).waitFor()
      if (path.endsWith('edit')) await form(page, 'good').first().click()
      await expectNoSidewaysScroll(page)
      await expectAccessible(page)
    }
  })
})
