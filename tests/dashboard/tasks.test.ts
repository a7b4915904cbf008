import type { Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectFineInEveryLook, goTo } from './expect-accessible.ts'
import { useHandDrivenProvider } from './hand-driven-provider.ts'
import { loseAnswer } from './lose-answer.ts'

const provider = useHandDrivenProvider()

/** How long the page may take for what a test waits for, with other tests beside it. */
const within = { timeout: 30_000 }

const status = (page: Page) => page.getByRole('main').getByRole('status')
const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text })

/** Marks the page: a mark that is still there shows that it was not loaded anew. */
const mark = (page: Page) => page.evaluate(() => Object.assign(globalThis, { isMarked: true }))
const isMarked = (page: Page) => page.evaluate(() => 'isMarked' in globalThis)

async function choose(page: Page, field: string, option: string | RegExp): Promise<void> {
  await page.getByRole('button', { name: field }).click()
  await page.getByRole('option', { name: option }).click()
}

const hostile =
  '<img src=x onerror="window.wasRun=1"> {{constructor}} javascript:alert(1) \u202Eevil ![x](javascript:1)'

describeInBrowser('the pages of tasks', { environment: { DEMO_MODEL: 'test/echo' } }, (world) => {
  beforeEach(async () => {
    const { agents, tasks } = world.runtime()
    await agents.delete('later').catch(() => {}) // another try of a test begins anew
    if (await agents.find('echo')) return
    await agents.create({ id: 'echo', model: 'test/echo' })
    await tasks.create({ agent_id: 'echo', task: 'The very first' })
    await agents.create({ id: 'slow', model: 'openai/stand-in' })
    await agents.create({ id: 'keyless', model: 'anthropic/any-model' })
  })

  it('create a task, and show its result without a reload', async () => {
    const page = await world.openPage('agents', '/tasks')
    await page.getByRole('link', { name: 'New task' }).first().click()
    await mark(page)
    await choose(page, 'For', 'Agent slow')
    await page.getByRole('textbox', { name: 'Task' }).fill('Water the plants')
    await page.getByRole('textbox', { name: 'Priority' }).fill('7')
    await page.getByRole('button', { name: 'More options' }).click()
    await page.getByRole('textbox', { name: 'Idempotency key' }).fill('plants-1')
    await page.getByRole('textbox', { name: 'Metadata' }).fill('{"ticket": 42}')
    await page.getByRole('button', { name: 'Create task' }).click()

    const call = await provider.nextCall('Water the plants')
    await status(page).getByText('running').waitFor()
    call.say('They are **wet** now.')
    call.end()
    await status(page).getByText('completed').waitFor()
    await page.locator('strong', { hasText: 'wet' }).waitFor()
    expect(await isMarked(page)).toBe(true)

    const { tasks } = await world.runtime().tasks.list({ agentId: 'slow' })
    expect(tasks[0]).toMatchObject({ priority: 7, idempotency_key: 'plants-1', metadata: { ticket: 42 } })
    await screenshot(page, 'task')
    await page.getByRole('link', { name: 'Open the run' }).click()
    await page.waitForURL(/\/runs\//)
  })

  it('are created once, also when the answer was lost, and a new one is not left by mistake', async () => {
    const page = await world.openPage('agents', '/tasks/new?agent=echo')
    await page.getByRole('textbox', { name: 'Task' }).fill('Once and no more')
    await page.getByRole('link', { name: 'Cancel' }).click()
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    await page.route('**/api/tasks', loseAnswer, { times: 1 })
    const create = page.getByRole('button', { name: 'Create task' })
    await create.click()
    await page.getByText('The server does not respond').waitFor()
    await create.click()
    await status(page).getByText('completed').waitFor()
    const { tasks } = await world.runtime().tasks.list({})
    expect(tasks.filter(({ input }) => input === 'Once and no more')).toHaveLength(1)
  })

  it('take over what was typed to run a graph, and ask before it is left', async () => {
    await world.runtime().graphs.create({ id: 'handed', nodes: [{ id: 'one', agent: 'echo' }] })
    const page = await world.openPage('agents', '/graphs/handed')
    await page.getByRole('textbox', { name: 'Input' }).fill('Typed there')
    await page.getByRole('button', { name: 'More options' }).click()
    await page.getByRole('textbox', { name: 'User id' }).fill('ada')
    await page.getByRole('textbox', { name: 'Token budget' }).fill('900')
    await page.getByRole('link', { name: 'Run as a task' }).click()
    await page.waitForURL(/\/tasks\/new\?graph=handed$/)
    const task = page.getByRole('textbox', { name: 'Task' })
    await expect.poll(() => task.inputValue(), within).toBe('Typed there')
    page.on('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await expect.poll(() => task.inputValue(), within).toBe('Typed there')
    expect(await page.getByRole('textbox', { name: 'Token budget' }).inputValue()).toBe('900')
    await page.getByRole('link', { name: 'Cancel' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Create task' }).click()
    await page.waitForURL(/\/tasks\/(?!new)/)
    const { tasks } = await world.runtime().tasks.list({ graphId: 'handed' })
    expect(tasks[0]).toMatchObject({ input: 'Typed there', user_id: 'ada' })
  })

  it('ask before the way back takes away what was typed, and go it when told to', async () => {
    const page = await world.openPage('agents', '/tasks')
    await page.getByRole('link', { name: 'New task' }).first().click()
    const task = page.getByRole('textbox', { name: 'Task' })
    await task.click()
    await page.keyboard.type('Not to be lost')
    const goBack = () => page.evaluate(() => history.back())
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
    await goBack()
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect(await task.inputValue()).toBe('Not to be lost')
    expect(page.url()).toMatch(/\/tasks\/new$/)
    await goBack()
    await question.getByRole('button', { name: 'Discard changes' }).click()
    await page.waitForURL(/\/tasks$/)
    await page.getByRole('grid', { name: 'Tasks' }).waitFor()
    await page.goForward() // nothing was cut off, and nothing asks where nothing is lost
    await expect.poll(() => task.inputValue(), within).toBe('')
    await page.goBack()
    await page.waitForURL(/\/tasks$/)
  })

  it('show a result that would hold the page up as it stands, and copy all of it', async () => {
    for (const text of ['**word** '.repeat(100_000), '- '.repeat(3000)]) {
      const { task } = await world.runtime().tasks.create({ agent_id: 'echo', task: text })
      const page = await world.openPage('agents', `/tasks/${task.id}`)
      const answer = page.getByRole('group', { name: 'Answer', exact: true })
      await answer.waitFor()
      expect((await answer.innerText()).length).toBeLessThan(10_000)
      await page.getByRole('button', { name: 'Copy Answer' }).click()
      const copied = await page.evaluate(() => navigator.clipboard.readText())
      expect(copied.trim()).toHaveLength(text.trim().length)
    }
  })

  it('say what is missing in a new task, where it is missing', async () => {
    const page = await world.openPage('agents')
    await page.route('**/api/agents', (route) => route.fulfill({ status: 500, json: { error: 'Broken' } }))
    await page.goto(`${world.agentsUrl}/tasks/new`)
    // An empty choice would be no help.
    await page.getByRole('alert').getByText('Broken').first().waitFor()
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('alert').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Create task' }).click()
    await page.getByText('Choose an agent or a graph.').waitFor()
    await page.getByText('Enter the task.').waitFor()
    await page.getByRole('button', { name: 'More options' }).click()
    await page.getByRole('textbox', { name: 'Metadata' }).fill('[1]')
    await page.getByText('The metadata is not a JSON object').waitFor()

    // What only the server knows stands there, too, also where it is folded away.
    await page.getByRole('textbox', { name: 'Metadata' }).fill('')
    await page.getByRole('textbox', { name: 'User id' }).fill('an\u0007na')
    await page.getByRole('button', { name: 'More options' }).click()
    await choose(page, 'For', 'Agent echo')
    await page.getByRole('textbox', { name: 'Task' }).fill('Think')
    await page.getByRole('button', { name: 'Create task' }).click()
    await page.getByText('Must not hold control characters').waitFor()
    await page
      .getByRole('textbox', { name: 'User id' })
      .and(page.locator('[aria-invalid=true]:focus'))
      .waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
  })

  it('show why a task failed, and try it again once the reason is gone', async () => {
    const { agents, tasks } = world.runtime()
    await agents.create({ id: 'later', model: 'anthropic/any-model' })
    const { task } = await tasks.create({ agent_id: 'later', task: 'Think', max_attempts: 1 })
    const page = await world.openPage('agents', `/tasks/${task.id}`)
    await page.getByRole('heading', { name: 'The run failed' }).waitFor()
    await page.getByText(/the API key of Anthropic is missing/).waitFor()
    await agents.update('later', { model: 'test/echo' })
    await mark(page)
    await page.getByRole('button', { name: 'Try again' }).click()
    await status(page).getByText('completed').waitFor()
    expect(await page.getByRole('heading', { name: 'The run failed' }).count()).toBe(0)
    expect(await isMarked(page)).toBe(true)
  })

  it('stop a task under way, after asking', async () => {
    const { task } = await world.runtime().tasks.create({ agent_id: 'slow', task: 'Never ending' })
    const page = await world.openPage('agents', `/tasks/${task.id}`)
    await provider.nextCall('Never ending')
    await status(page).getByText('running').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Stop task' }).click()
    await page.getByRole('heading', { name: 'The task was stopped' }).waitFor()
    expect(await world.runtime().tasks.get(task.id)).toMatchObject({ failure: { code: 'cancelled' } })
  })

  it('show tasks as they come and go, within the filter', async () => {
    const page = await world.openPage('agents', '/tasks')
    await page.getByRole('grid', { name: 'Tasks' }).waitFor()
    await mark(page)
    await world.runtime().tasks.create({ agent_id: 'slow', task: 'Seen as it happens' })
    const call = await provider.nextCall('Seen as it happens')
    await row(page, 'Seen as it happens').getByText('running').waitFor()
    await choose(page, 'Status', 'running')
    await expect.poll(() => page.url(), within).toContain('status=running')
    await row(page, 'Seen as it happens').waitFor()
    expect(await row(page, 'The very first').count()).toBe(0)
    call.end()
    await row(page, 'Seen as it happens').waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'Show all tasks' }).click()
    await row(page, 'Seen as it happens').getByText('completed').waitFor()
    expect(await isMarked(page)).toBe(true)
  })

  it('never run what strangers wrote', async () => {
    const { task } = await world
      .runtime()
      .tasks.create({ agent_id: 'echo', task: hostile, metadata: { '<b>': hostile } })
    await expect.poll(async () => (await world.runtime().tasks.get(task.id)).status, within).toBe('completed')
    const page = await world.openPage('agents', '/tasks')
    await row(page, 'onerror').getByText('completed').waitFor()
    await page.goto(new URL(`/tasks/${task.id}`, page.url()).href)
    await status(page).getByText('completed').waitFor()
    await page.getByText('onerror=').first().waitFor()
    expect(await page.evaluate(() => 'wasRun' in globalThis)).toBe(false)
    expect(await page.locator('main img, main a[href^="javascript"]').count()).toBe(0)
  })

  it('work by keyboard alone', async () => {
    const page = await world.openPage('agents', '/tasks')
    await page.getByRole('grid', { name: 'Tasks' }).waitFor()
    await page.getByRole('link', { name: 'New task' }).focus()
    await page.keyboard.press('Enter')
    // The field for the text has the focus; the one for the agent is before it.
    await expect.poll(() => page.evaluate(() => document.activeElement?.tagName), within).toBe('TEXTAREA')
    await page.keyboard.type('By keyboard')
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('listbox').waitFor()
    await page.keyboard.type('agent echo')
    await page.keyboard.press('Enter')
    await page.getByRole('listbox').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Create task' }).focus()
    await page.keyboard.press('Enter')
    await status(page).getByText('completed').waitFor()
    await page.getByRole('link', { name: 'Tasks', exact: true }).last().focus()
    await page.goBack()
    await page.goBack()
    await row(page, 'By keyboard').waitFor()
    await row(page, 'By keyboard').focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/tasks\/[^/]+$/)
  })

  it('keep what they show while the server is away, and catch up with it', async () => {
    const page = await world.openPage('agents', '/tasks')
    await world.runtime().tasks.create({ agent_id: 'echo', task: 'Before the restart' })
    await row(page, 'Before the restart').getByText('completed').waitFor()
    await mark(page)
    await world.stop()
    await page
      .getByText('Connected', { exact: true })
      .filter({ visible: true })
      .waitFor({ state: 'detached' })
    expect(await row(page, 'Before the restart').count()).toBe(1)
    await world.restart()
    await world.runtime().tasks.create({ agent_id: 'echo', task: 'After the restart' })
    await row(page, 'After the restart').getByText('completed').waitFor({ timeout: 30_000 })
    expect(await isMarked(page)).toBe(true)
  })

  it('stay quick with many tasks: only those in sight are in the document', async () => {
    const { tasks } = world.runtime()
    for (let at = 0; at < 450; at += 50) {
      await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          tasks.create({ agent_id: 'echo', task: `Many ${at + index}` }),
        ),
      )
    }
    const page = await world.openPage('agents', '/tasks')
    const grid = page.getByRole('grid', { name: 'Tasks' })
    await row(page, 'Many 4').first().waitFor()
    await expect
      .poll(async () => {
        await grid.evaluate((element) => element.scrollTo(0, element.scrollHeight))
        return row(page, 'The very first').count()
      }, within)
      .toBe(1)
    expect(await page.getByRole('row').count()).toBeLessThan(60)
  })

  it('are accessible and fit every window, light and dark', async () => {
    const { task } = await world
      .runtime()
      .tasks.create({ agent_id: 'keyless', task: 'Seen by axe', max_attempts: 1 })
    const page = await world.openPage('agents', '/tasks')
    await row(page, 'Seen by axe').getByText('failed', { exact: true }).waitFor()
    await expectFineInEveryLook(page)
    await goTo(page, '/tasks/new', page.getByRole('button', { name: 'Create task' }))
    await expectFineInEveryLook(page)
    await goTo(page, `/tasks/${task.id}`, page.getByRole('heading', { name: 'The run failed' }))
    await expectFineInEveryLook(page)
  })
})
