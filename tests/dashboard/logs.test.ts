import { createSqliteStore } from '@homeward/agent-runtime/sqlite'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { beforeEach, expect, it } from 'vitest'
import { describeInBrowser, screenshot } from './browser.ts'
import { expectFineInEveryLook } from './expect-accessible.ts'

/** How long the page may take for what a test waits for, with other tests beside it. */
const within = { timeout: 30_000 }

const list = (page: Page) => page.getByRole('listbox', { name: 'Events' })
const events = (page: Page) => list(page).getByRole('option')

async function choose(page: Page, field: string, option: string): Promise<void> {
  await page.getByRole('button', { name: field }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

/** Numbers of the events that are in the document, in their order. */
async function seqs(page: Page): Promise<number[]> {
  const ids = await events(page).evaluateAll((rows) => rows.map(({ id }) => id))
  return ids.map((id) => Number(id.replace('event-', ''))).toSorted((one, other) => one - other)
}

/** All numbers from the first to the last. */
const contiguous = (numbers: readonly number[]) => numbers.map((_, index) => (numbers[0] ?? 0) + index)

const hostile = '<img src=x onerror="window.wasRun=1"> [x](javascript:window.wasRun=1) \u202Eevil'

/** Events that a page is flooded with. From 100,000 on it has to let the oldest go. */
const flood = Number(process.env['LOG_EVENTS'] ?? 20_000)
const mostEvents = 100_000

describeInBrowser('the logs', { environment: { DEMO_MODEL: 'test/echo' } }, (world) => {
  const run = (task: string) => world.runtime().run({ agent_id: 'echo', task })

  beforeEach(async () => {
    const { agents } = world.runtime()
    if (await agents.find('echo')) return
    await agents.create({ id: 'echo', model: 'test/echo' })
    await agents.create({ id: 'keyless', model: 'anthropic/any-model' })
    await run('The very first')
  })

  it('show events as they happen, with all that is known of one', async () => {
    await run('Before the page was opened')
    const page = await world.openPage('agents', '/logs')
    await events(page).filter({ hasText: 'Before the page was opened' }).waitFor()
    const { run_id: runId } = await run('While the page is open')
    await events(page).filter({ hasText: 'While the page is open' }).click()
    await page.getByRole('heading', { name: /^Event \d+$/ }).waitFor()
    await page.getByRole('button', { name: 'The event as JSON' }).click()
    await page.getByRole('group', { name: 'the event' }).getByText('"type": "agent.started"').waitFor()
    await screenshot(page, 'logs')
    await page.getByRole('link', { name: runId }).click()
    await page.waitForURL(new RegExp(`/runs/${runId}$`))
  })

  it('show only what the filter lets through, and keep the filter in the address', async () => {
    const { run_id: runId } = await run('Of one run')
    await world.runtime().tasks.create({ agent_id: 'keyless', task: 'Cannot work', max_attempts: 1 })
    const page = await world.openPage('agents', '/logs')
    await choose(page, 'Kind', 'All of task')
    await expect
      .poll(() => events(page).filter({ hasText: 'task.failed' }).count(), within)
      .toBeGreaterThan(0)
    expect(await events(page).filter({ hasText: 'agent.' }).count()).toBe(0)
    await page.getByText('Problems only').click()
    await expect.poll(() => events(page).filter({ hasText: 'task.created' }).count(), within).toBe(0)
    expect(new URL(page.url()).search).toBe('?type=task&problems=yes')
    await page.reload()
    await events(page).filter({ hasText: 'task.failed' }).first().waitFor()

    await page.goto(new URL(`/logs?run=${runId}`, page.url()).href)
    await events(page).filter({ hasText: 'Of one run' }).waitFor()
    await run('Of another run')
    await expect.poll(() => seqs(page), within).toHaveLength(3)
  })

  it('lose nothing while they are paused', async () => {
    const page = await world.openPage('agents', '/logs')
    await events(page).first().waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    const before = await seqs(page)
    await run('During the pause')
    await page.getByRole('button', { name: 'Continue (3 new)' }).waitFor()
    expect(await seqs(page)).toEqual(before)
    await page.getByRole('button', { name: /^Continue/ }).click()
    await events(page).filter({ hasText: 'During the pause' }).waitFor()
    const after = await seqs(page)
    expect(after).toEqual(contiguous(after))
  })

  it('have neither a gap nor a double after the server was started again', async () => {
    const page = await world.openPage('agents', '/logs')
    await events(page).first().waitFor()
    await world.stop()
    await page
      .getByText('Connected', { exact: true })
      .filter({ visible: true })
      .waitFor({ state: 'detached' })
    await world.restart()
    await run('Right after the restart')
    await events(page).filter({ hasText: 'Right after the restart' }).waitFor({ timeout: 30_000 })
    await run('Once more')
    await events(page).filter({ hasText: 'Once more' }).waitFor()
    await list(page).press('Home')
    const known = (await world.runtime().logs.list({ limit: 1000 })).map(({ seq }) => seq)
    expect(await seqs(page)).toEqual(known.slice(0, await events(page).count()))
    await list(page).press('End')
    expect((await seqs(page)).at(-1)).toBe(known.at(-1))
    expect(await events(page).first().getAttribute('aria-setsize')).toBe(String(known.length))
  })

  it('never run what strangers wrote', async () => {
    await run(hostile)
    const page = await world.openPage('agents', '/logs')
    await events(page).filter({ hasText: 'onerror=' }).first().click()
    await page.getByRole('button', { name: 'The event as JSON' }).click()
    expect(await page.evaluate(() => 'wasRun' in globalThis)).toBe(false)
    expect(await page.locator('main img, main a[href^="javascript"]').count()).toBe(0)
  })

  it('work by keyboard alone', async () => {
    const page = await world.openPage('agents', '/logs')
    await events(page).first().waitFor()
    await list(page).focus()
    await page.keyboard.press('Home')
    await page.getByRole('heading', { name: 'Event 1', exact: true }).waitFor()
    await page.keyboard.press('ArrowDown')
    await page.getByRole('heading', { name: 'Event 2', exact: true }).waitFor()
    expect(await list(page).getAttribute('aria-activedescendant')).toBe('event-2')
    expect(await page.locator('#event-2').getAttribute('aria-selected')).toBe('true')
  })

  it('are accessible and fit every window, light and dark', async () => {
    const page = await world.openPage('agents', '/logs')
    await events(page).first().click()
    await page.getByRole('heading', { name: /^Event \d/ }).waitFor()
    await expectFineInEveryLook(page)
  })

  it('stay quick with very many events, and keep the newest', { timeout: 60_000 + flood }, async () => {
    const page = await world.openPage('agents', '/logs')
    await events(page).first().waitFor()
    const last = await writeEvents(flood)
    await page.locator(`#event-${last}`).waitFor({ timeout: 30_000 + flood })
    const kept = Math.min(last, mostEvents)
    await expect.poll(() => events(page).first().getAttribute('aria-setsize'), within).toBe(String(kept))
    expect(await page.getByText('older events are hidden').count()).toBe(last > mostEvents ? 1 : 0)
    expect(await events(page).count()).toBeLessThan(60)

    expect(await slowestFrame(page)).toBeLessThan(1000)
    expect(await events(page).count()).toBeLessThan(60)
    await list(page).press('Home')
    await page.locator(`#event-${last - kept + 1}`).waitFor()

    // Who looks at the oldest goes on looking at them; the newest are at the end.
    await run('Behind all of them')
    await expect
      .poll(() => events(page).first().getAttribute('aria-setsize'), within)
      .toBe(String(Math.min(last + 3, mostEvents)))
    expect(await events(page).filter({ hasText: 'Behind all of them' }).count()).toBe(0)
    await list(page).press('End')
    await events(page).filter({ hasText: 'Behind all of them' }).waitFor()
  })

  /** Writes into the same journal, as another process would. @returns the number of the last. */
  async function writeEvents(count: number): Promise<number> {
    const store = createSqliteStore({ path: join(world.home, 'data', 'agents.db') })
    const timestamp = new Date().toISOString()
    let last = 0
    for (let at = 0; at < count; at += 1000) {
      const batch = Array.from({ length: 1000 }, (_, index) => ({
        type: 'tool.called' as const,
        timestamp,
        data: { agent_id: 'echo', tool: 'time', args: { number: at + index } },
      }))
      last = await store.appendEvents(batch)
    }
    await store.close()
    return last
  }
})

/** Scrolls through all events. @returns the longest time between two frames, in milliseconds. */
function slowestFrame(page: Page): Promise<number> {
  return list(page).evaluate(async (element) => {
    const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve))
    let slowest = 0
    let before = await frame()
    for (let step = 0; step <= 60; step += 1) {
      element.scrollTop = (element.scrollHeight * step) / 60
      const now = await frame()
      slowest = Math.max(slowest, now - before)
      before = now
    }
    return slowest
  })
}
