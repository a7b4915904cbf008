import { createUserClient } from '@homeward/device-sdk'
import type { Page } from 'playwright-core'
import { beforeAll, expect, it } from 'vitest'
import { routes } from '../../apps/pages/src/routes.tsx'
import { describeInBrowser, type DashboardWorld } from './browser.ts'
import { expectAccessible, expectNoSidewaysScroll } from './expect-accessible.ts'

/** The addresses of routes that need a thing, with that thing. */
async function makeThings({ cloudUrl, deviceId = '', runtime }: DashboardWorld) {
  const { agents, graphs, schedules, tasks } = runtime()
  await agents.create({ id: 'echo', model: 'test/echo' })
  await graphs.create({ id: 'twice', nodes: [{ id: 'say', agent: 'echo', input: '{{input}}' }] })
  const { schedule } = await schedules.create({
    agent_id: 'echo',
    cron: '0 8 * * 1-5',
    input: 'Good morning',
  })
  const { task } = await tasks.create({ agent_id: 'echo', task: 'Water the plants' })
  const run = await runtime().run({ agent_id: 'echo', task: 'Is it a sunny day?' })
  await runtime().collections.create({ id: 'handbook' })
  await runtime().collections.add('handbook', { name: 'keys.md', text: '# Keys' })
  const { trigger } = await runtime().triggers.create({ name: 'Bell', agent_id: 'echo', verify: 'standard' })
  await agents.update('echo', { personality: 'Be brief.' })
  const whatIf = await runtime().whatIfs.start('echo', { changes: { personality: 'Be long.' }, last: 1 })
  const cloud = createUserClient({ baseUrl: cloudUrl })
  const search = { query: 'invoice', scope: ['files' as const] }
  const asked = await cloud.createSearches({ body: { ...search, deviceIds: [deviceId] } })
  const { savedSearch } = await cloud.createSavedSearch({ body: { ...search, name: 'Invoices', filter: {} } })
  return {
    '/chat/:agentId?': '/chat/echo',
    '/conversations/:id': `/conversations/${run.conversation_id}`,
    '/runs/:id': `/runs/${run.run_id}`,
    '/agents/:id': '/agents/echo',
    '/agents/:id/users': '/agents/echo/users',
    '/agents/:id/versions': '/agents/echo/versions',
    '/agents/:id/what-if': '/agents/echo/what-if',
    '/what-ifs/:id': `/what-ifs/${whatIf.id}`,
    '/triggers/:id': `/triggers/${trigger.id}`,
    '/collections/:id': '/collections/handbook',
    '/schedules/:id': `/schedules/${schedule.id}`,
    '/skills/:id': '/skills/device-search',
    '/channels/:id': '/channels/telegram',
    '/tasks/:id': `/tasks/${task.id}`,
    '/graphs/:id': '/graphs/twice',
    '/graphs/:id/edit': '/graphs/twice/edit',
    '/devices/:id': `/devices/${deviceId}`,
    '/searches/groups/:id': `/searches/groups/${asked.groupId}`,
    '/searches/saved/:id': `/searches/saved/${savedSearch.id}`,
    '/searches/:id': `/searches/${asked.searchQueries[0]?.id}`,
    '/help/*': '/help/guides/graphs',
  }
}

/** Goes there as a link does, and waits until the page has what it shows. */
async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate((path) => {
    document.querySelector('h1')?.setAttribute('data-left', '')
    history.pushState(null, '', path)
  }, path)
  await page.locator('h1:not([data-left])').first().waitFor()
  await page.getByRole('main').getByText('Loading …', { exact: true }).first().waitFor({ state: 'detached' })
}

/** Most presses of Tab from the begin of the content to the first row of a list. */
const mostTabs = 12

/** Presses Tab until a row of the list has the focus. */
async function tabsToFirstRow(page: Page): Promise<number> {
  const isInRow = () => document.activeElement?.closest('[role="row"], tbody tr') !== null
  await page.locator('#content').focus()
  for (let tabs = 1; tabs <= mostTabs; tabs += 1) {
    await page.keyboard.press('Tab')
    if (await page.evaluate(isInRow)) return tabs
  }
  return Infinity
}

describeInBrowser('every route', { environment: { DEMO_MODEL: 'test/echo' }, hasDevice: true }, (world) => {
  let paths: readonly string[]
  beforeAll(async () => {
    const things: Readonly<Record<string, string>> = await makeThings(world)
    paths = routes.map(([route]) => {
      const path = things[route] ?? route
      if (/[:*]/.test(path)) throw new Error(`Visiting ${route} failed: it needs a thing. Make one above.`)
      return path
    })
  })

  it('is accessible, and fits a small phone in dark colours', async () => {
    const page = await world.openPage('agents', '/no-such-page')
    for (const path of paths) {
      await visit(page, path)
      expect(await page.getByText(/^[A-Z][a-z ]+ not found$/).count(), path).toBe(0)
      await expectAccessible(page)
      const isList = routes.some(([route]) => route === path) && !path.endsWith('new')
      if (isList && (await page.getByRole('main').getByRole('grid').getByRole('row').count()) > 1)
        expect(await tabsToFirstRow(page), `Tab to the first row of ${path}`).toBeLessThanOrEqual(mostTabs)
      await page.setViewportSize({ width: 320, height: 700 })
      await page.emulateMedia({ colorScheme: 'dark' })
      await expectNoSidewaysScroll(page)
      await page.setViewportSize({ width: 1280, height: 800 })
      await page.emulateMedia({ colorScheme: 'light' })
    }
  })
})
