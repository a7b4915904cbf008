import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectFineInEveryLook, goTo } from './expect-accessible.ts'
import { loseAnswer } from './lose-answer.ts'
import { chooseAction } from './test-pages.ts'

/** Buttons within a field have its name, too. */
const field = (page: Page, label: string) =>
  page.getByLabel(label, { exact: true }).and(page.locator('input, textarea'))

/** Writes into a field with suggestions, and goes on: the list hides the rest of the page while it is open. */
async function write(page: Page, label: string, text: string): Promise<void> {
  await field(page, label).fill(text)
  await field(page, label).press('Tab')
}

/** What is said about a field, to those who cannot see where it stands. */
async function problemOf(input: Locator): Promise<string> {
  const ids = (await input.getAttribute('aria-describedby')) ?? ''
  return await input.evaluate(
    (_input, list) => list.map((id) => document.getElementById(id)?.textContent ?? '').join(' '),
    ids.split(' '),
  )
}

/** Unfolds what the form of a new agent folds. */
async function unfold(page: Page): Promise<void> {
  for (const name of [
    'Skills and tools',
    'Model options',
    'Limits and budget',
    'Schedule',
    'Id and description',
  ])
    await page.getByRole('main').getByRole('button', { name, exact: true }).click()
}

/** Shows the settings that the form of an agent folds. */
const showAll = (page: Page) => page.getByRole('button', { name: 'Show all settings' }).click()

/** With other tests beside it, a page may need a while. */
const within = { timeout: 30_000 }

describeInBrowser('the pages of agents and schedules', {}, (world) => {
  it('creates, changes, schedules and deletes an agent', async () => {
    const page = await world.openPage('agents', '/agents')
    await page.getByRole('link', { name: 'New agent' }).click()
    await unfold(page)
    await field(page, 'Name').fill('Morning')
    await field(page, 'Id').fill('morning')
    await write(page, 'Model', 'test/echo')
    await field(page, 'Instructions').fill('You say good morning.')
    await write(page, 'Skills', 'weather')
    await field(page, 'Turns').fill('3')
    await page.getByRole('button', { name: 'Create agent' }).click()
    await page.waitForURL('**/agents/morning')
    await page.getByRole('heading', { level: 1, name: 'Morning' }).waitFor()
    expect(await world.runtime().agents.get('morning')).toMatchObject({
      model: 'test/echo',
      personality: 'You say good morning.',
      skills: ['weather'],
      limits: { max_turns: 3 },
    })

    await showAll(page)
    await write(page, 'Cron expression', '30 6 * * *')
    await write(page, 'Time zone', 'Asia/Kolkata')
    const preview = page.getByRole('region', { name: 'Next times' })
    await preview.getByRole('heading', { name: 'Next times in Asia/Kolkata' }).waitFor()
    await expect.poll(() => preview.getByRole('listitem').count(), within).toBe(5)
    const { schedules } = world.runtime()
    const fires = await schedules.next({ schedule: '30 6 * * *', timezone: 'Asia/Kolkata' })
    expect(await preview.getByRole('listitem').first().textContent()).toContain('06:30')
    const shown = await preview
      .locator('time')
      .evaluateAll((times) => times.map((time) => time.getAttribute('datetime')))
    expect(shown).toEqual(fires)
    await screenshot(page, 'agent-schedule')

    await field(page, 'Task of scheduled runs').fill('Good morning')
    await field(page, 'Turns').fill('')
    await field(page, 'Output tokens').fill('500')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The change applies to new runs.').waitFor()
    expect(await world.runtime().agents.get('morning')).toMatchObject({
      limits: { max_tokens: 500 },
      schedule: '30 6 * * *',
      schedule_input: 'Good morning',
      timezone: 'Asia/Kolkata',
    })

    await page.goto(`${world.agentsUrl}/schedules`)
    await page
      .getByRole('row', { name: /Morning/ })
      .getByText('Asia/Kolkata')
      .waitFor()
    await page.goto(`${world.agentsUrl}/agents/morning`)
    await chooseAction(page, 'Delete agent')
    await page
      .getByRole('alertdialog', { name: 'Delete Morning?' })
      .getByRole('button', { name: 'Delete agent' })
      .click()
    await page.waitForURL('**/agents')
    expect(await world.runtime().agents.find('morning')).toBeUndefined()
  })

  it('shows what the server refuses at the field that is wrong, and keeps what was written', async () => {
    const page = await world.openPage('agents', '/agents/_new')
    await unfold(page)
    await field(page, 'Id').fill('demo')
    await write(page, 'Model', 'test/echo')
    await page.getByRole('button', { name: 'Create agent' }).click()
    await expect
      .poll(() => problemOf(field(page, 'Id')), within)
      .toContain('An agent with this id already exists')

    await field(page, 'Id').fill('not a slug')
    await page.getByRole('button', { name: 'Create agent' }).click()
    await expect.poll(() => problemOf(field(page, 'Id')), within).toContain('Must be 1 to 64 letters')
    expect(await field(page, 'Id').evaluate((input) => input === document.activeElement)).toBe(true)

    await field(page, 'Id').fill('right')
    await write(page, 'Cron expression', 'every day')
    await page
      .getByText(/^Must have 5 fields/i)
      .first()
      .waitFor()
    await page.getByRole('button', { name: 'Create agent' }).click()
    await expect.poll(() => problemOf(field(page, 'Cron expression')), within).toMatch(/fields/)
    await write(page, 'Cron expression', '0 9 * * *')
    await write(page, 'Time zone', 'Mars/Base')
    await page.getByRole('button', { name: 'Create agent' }).click()
    await expect.poll(() => problemOf(field(page, 'Time zone')), within).toContain('IANA')
    expect(await field(page, 'Model').inputValue()).toBe('test/echo')
    expect(await world.runtime().agents.find('right')).toBeUndefined()
  })

  it('are created once, also when the answer was lost, with an id of their own or without', async () => {
    const page = await world.openPage('agents', '/agents')
    for (const id of ['', 'once']) {
      await page.goto(`${world.agentsUrl}/agents/_new`)
      await unfold(page)
      await field(page, 'Name').fill(`Once ${id}`)
      await field(page, 'Id').fill(id)
      await write(page, 'Model', 'test/echo')
      await page.route('**/api/agents', loseAnswer, { times: 1 })
      await page.getByRole('button', { name: 'Create agent' }).click()
      await page.getByText('The server does not respond').waitFor()
      await page.getByRole('button', { name: 'Create agent' }).click()
      await page.waitForURL(id === '' ? /\/agents\/agent-\w{12}$/ : '**/agents/once')
      await page.getByRole('heading', { level: 1, name: `Once ${id}` }).waitFor()
    }
    const { agents } = world.runtime()
    const created = (await agents.list()).filter(({ name }) => name?.startsWith('Once'))
    expect(created).toHaveLength(2)
    for (const { id } of created) await agents.delete(id)
  })

  it('are deleted, also where the answer was lost or somebody else was faster', async () => {
    const { agents } = world.runtime()
    for (const id of ['lost', 'listed']) await agents.create({ id, model: 'test/echo' })
    const page = await world.openPage('agents', '/agents/lost')
    await chooseAction(page, 'Delete agent')
    await page.route('**/api/agents/lost', loseAnswer, { times: 1 })
    const confirm = page.getByRole('alertdialog').getByRole('button', { name: 'Delete agent' })
    await confirm.click()
    await page.getByText('The server does not respond').waitFor()
    await confirm.click()
    await page.waitForURL('**/agents')

    const row = page.getByRole('row', { name: /listed/ })
    await chooseAction(page, 'Delete agent', 'Actions of listed')
    await agents.delete('listed')
    await confirm.click()
    await expect.poll(() => page.getByRole('alertdialog').count(), within).toBe(0)
    await expect.poll(() => row.count(), within).toBe(0)
    expect(await page.getByText('no agent "listed"').count()).toBe(0)
  })

  it('loses nothing that was not saved: it asks, and it is there again after a reload', async () => {
    const page = await world.openPage('agents', '/agents/demo')
    await field(page, 'Description').fill('Not saved')
    await page.getByRole('link', { name: 'Settings' }).click()
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect(new URL(page.url()).pathname).toBe('/agents/demo')

    page.on('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await page.getByText('These are changes that you had not saved.').waitFor()
    expect(await field(page, 'Description').inputValue()).toBe('Not saved')

    await page.getByRole('link', { name: 'Settings' }).click()
    await question.getByRole('button', { name: 'Discard changes' }).click()
    await page.waitForURL('**/settings')
    await page.goBack()
    await field(page, 'Description').waitFor()
    expect(await field(page, 'Description').inputValue()).toBe('')
  })

  it('keeps what somebody else changes while a form is open', async () => {
    await world.runtime().agents.create({ id: 'shared', model: 'test/echo' })
    const page = await world.openPage('agents', '/agents/shared')
    await field(page, 'Description').fill('Mine')
    await world.runtime().agents.update('shared', { personality: 'Theirs' })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('The change applies to new runs.').waitFor()
    expect(await world.runtime().agents.get('shared')).toMatchObject({
      description: 'Mine',
      personality: 'Theirs',
    })

    // The same field: nobody's words go without somebody knowing.
    await field(page, 'Description').fill('Mine again')
    await world.runtime().agents.update('shared', { description: 'Theirs', limits: { max_tokens: 7 } })
    await page.getByRole('button', { name: 'Save' }).click()
    await expect
      .poll(() => problemOf(field(page, 'Description')), within)
      .toContain('changed elsewhere since you started')
    expect(await world.runtime().agents.get('shared')).toMatchObject({ description: 'Theirs' })
    await showAll(page)
    await field(page, 'Turns').fill('4')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect
      .poll(() => world.runtime().agents.get('shared'), within)
      .toMatchObject({ description: 'Mine again', limits: { max_turns: 4, max_tokens: 7 } })
    expect(await problemOf(field(page, 'Description'))).not.toContain('elsewhere')
    await world.runtime().agents.delete('shared')
  })

  it('keeps what is written while a save is under way, and puts kept changes over what was saved since', async () => {
    await world.runtime().agents.create({ id: 'slowly', model: 'test/echo' })
    const page = await world.openPage('agents', '/agents/slowly')
    let letPass = () => {}
    const held = new Promise<void>((resolve) => (letPass = resolve))
    await page.route('**/api/agents/slowly', async (route) => {
      if (route.request().method() !== 'GET') await held
      await route.continue()
    })
    await field(page, 'Description').fill('First')
    const asked = page.waitForRequest((request) => request.method() !== 'GET')
    await page.getByRole('button', { name: 'Save' }).click()
    await asked
    await field(page, 'Name').fill('Written meanwhile')
    letPass()
    await page.getByText('The change applies to new runs.').waitFor()
    expect(await field(page, 'Name').inputValue()).toBe('Written meanwhile')
    await world.runtime().agents.update('slowly', { personality: 'Theirs' })
    page.on('dialog', (dialog) => void dialog.accept())
    await page.reload()
    await page.getByText('These are changes that you had not saved.').waitFor()
    expect(await field(page, 'Name').inputValue()).toBe('Written meanwhile')
    expect(await field(page, 'Instructions').inputValue()).toBe('Theirs')
    await page.getByRole('button', { name: 'Save' }).click()
    await expect
      .poll(() => world.runtime().agents.get('slowly'), within)
      .toMatchObject({ name: 'Written meanwhile', description: 'First', personality: 'Theirs' })
    await world.runtime().agents.delete('slowly')
  })

  it('shows names of agents as text, whatever they hold', async () => {
    const name = '<img src=x onerror="window.hacked=1"><script>window.hacked=1</script>'
    await world
      .runtime()
      .agents.create({ id: 'hostile', name, model: 'test/echo', personality: name, description: name })
    const page = await world.openPage('agents', '/agents')
    await page.getByText(name).first().waitFor()
    await page.goto(`${world.agentsUrl}/agents/hostile`)
    await page.getByRole('heading', { level: 1, name }).waitFor()
    expect(await page.evaluate(() => Reflect.get(globalThis, 'hacked'))).toBeUndefined()
    expect(await page.locator('main img').count()).toBe(0)
    await world.runtime().agents.delete('hostile')
  })

  it('are called by their names wherever something of theirs is listed, and by their ids once they are gone', async () => {
    const { agents, conversations, tasks } = world.runtime()
    await agents.create({ id: 'agent-7f', name: 'Gardener', model: 'test/echo', schedule: '0 8 * * *' })
    await conversations.append({ agent_id: 'agent-7f', title: 'Roses', content: 'Prune them' })
    const { run_id: runId } = await world.runtime().run({ agent_id: 'agent-7f', task: 'Water' })
    await tasks.create({ agent_id: 'agent-7f', task: 'Mow' })
    const page = await world.openPage('agents', '/')
    await page.getByRole('listitem').filter({ hasText: 'Gardener' }).first().waitFor()
    for (const [path, row] of [
      ['/runs', /Water Gardener/],
      ['/tasks', /Mow Gardener/],
      ['/conversations', /^Roses Gardener/],
      ['/schedules', /^Gardener Every day at 08:00/],
    ] as const) {
      await page.goto(world.agentsUrl + path)
      await page.getByRole('row', { name: row }).waitFor()
    }
    await page.goto(`${world.agentsUrl}/runs/${runId}`)
    await page.getByRole('heading', { level: 1, name: 'Water' }).waitFor()
    await page.getByRole('link', { name: 'Gardener' }).waitFor()
    await agents.delete('agent-7f')
    await page.goto(`${world.agentsUrl}/runs`)
    await page.getByRole('row', { name: /Water agent-7f/ }).waitFor()
  })

  it('works by keyboard alone', async () => {
    const page = await world.openPage('agents', '/agents')
    await page.getByRole('link', { name: 'New agent' }).focus()
    await page.keyboard.press('Enter')
    await field(page, 'Name').focus()
    await page.keyboard.type('Keys')
    await page.keyboard.press('Tab')
    await field(page, 'Model').and(page.locator(':focus')).waitFor()
    await page.keyboard.type('test/ec')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    expect(await field(page, 'Model').inputValue()).toBe('test/echo')
    await page.getByRole('button', { name: 'Model options' }).focus()
    await page.keyboard.press('Enter')
    await field(page, 'Fallback models').focus()
    await page.keyboard.type('test/tools')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await page.keyboard.press('Tab')
    await page.getByRole('row', { name: 'test/tools' }).waitFor()
    await page.keyboard.press('Delete')
    await expect.poll(() => page.getByRole('row', { name: 'test/tools' }).count(), within).toBe(0)
    await field(page, 'Fallback models').and(page.locator(':focus')).waitFor()
    await page.getByRole('button', { name: 'Create agent' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/agents\/agent-\w{12}$/)
    const created = await world.runtime().agents.get(page.url().split('/').at(-1) ?? '')
    expect([created.name, created.model]).toEqual(['Keys', 'test/echo'])
    await page.getByRole('button', { name: 'More actions' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menu').waitFor()
    await page.keyboard.press('End')
    await page.getByRole('menuitem', { name: 'Delete agent' }).and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('alertdialog', { name: 'Delete Keys?' }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/agents')
    // where the keyboard goes on, though the window and the button that opened it are gone
    await page.locator('#content:focus').waitFor()
  })

  it('A9: tells which times were left out, and why', async () => {
    await world
      .runtime()
      .agents.create({ id: 'secondly', model: 'test/echo', schedule: '* * * * * *', timezone: 'UTC' })
    const fired = async () => (await world.runtime().logs.list({ type: 'schedule.fired' })).length
    await expect.poll(fired, { timeout: 10_000 }).toBeGreaterThan(0)
    await world.stop()
    const stoppedAt = Date.now()
    await expect.poll(() => Date.now() - stoppedAt, { timeout: 5000 }).toBeGreaterThan(1100)
    await world.restart()
    const page = await world.openPage('agents', '/schedules')
    const missed = page.getByRole('listitem').filter({ hasText: 'secondly' })
    await missed.filter({ hasText: 'The server was not running' }).first().waitFor()
    await page
      .getByRole('row', { name: /secondly/ })
      .getByText('on', { exact: true })
      .waitFor()
    await world.runtime().agents.update('secondly', { schedule_enabled: false })
    await page.reload()
    await page
      .getByRole('row', { name: /secondly/ })
      .getByText('never')
      .waitFor()
    await world.runtime().agents.delete('secondly')
  })

  it('is accessible and fits every window, light and dark', async () => {
    const page = await world.openPage('agents', '/agents')
    await page.getByRole('row', { name: /Demo/ }).waitFor()
    await expectFineInEveryLook(page)
    await goTo(page, '/agents/_new', page.getByRole('button', { name: 'Create agent' }))
    await expectFineInEveryLook(page)
    await goTo(page, '/agents/demo', field(page, 'Name'))
    await showAll(page)
    await write(page, 'Cron expression', '0 9 * * *')
    await page.getByRole('region', { name: 'Next times' }).getByRole('listitem').first().waitFor()
    await expectFineInEveryLook(page)
    await page.goto(`${world.agentsUrl}/schedules`)
    await page.getByRole('heading', { name: 'Recently skipped' }).waitFor()
    await page.getByText('Loading').first().waitFor({ state: 'detached' })
    await expectFineInEveryLook(page)
  })
})
