import type { Page } from 'playwright-core'
import type { Servers } from '../../tests/dashboard/start-servers.ts'
import type { Seeded } from './seed.ts'

type Scene = (page: Page, world: Servers & Seeded) => Promise<void>

const open = async (page: Page, { agentsUrl }: Servers, path: string, heading: string | RegExp) => {
  await page.goto(agentsUrl + path)
  await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
}

/** The pictures by the name of their file: each leads a new page to what it shows. */
export const scenes: Readonly<Record<string, Scene>> = {
  async chat(page, world) {
    await page.goto(`${world.agentsUrl}/chat/helper`)
    const composer = page.getByRole('textbox', { name: /^Message to/ })
    await composer.fill('Which of my devices are online?')
    await composer.press('Enter')
    await page.getByText('has not been seen yet').waitFor()
    await composer.fill('Please write that into a note.')
    await composer.press('Enter')
    await page.getByRole('group', { name: 'Approval of write_file' }).waitFor()
  },
  async graph(page, world) {
    await open(page, world, '/graphs/briefing', 'Morning briefing')
    await page.getByRole('textbox', { name: 'Input' }).fill('Friday')
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.locator('.graph-node[data-status="completed"]').nth(2).waitFor()
    await page.locator('.graph-node[data-status="failed"]').waitFor()
    await page.getByRole('button', { name: 'Stop' }).waitFor({ state: 'detached' })
  },
  async 'graph-editor'(page, world) {
    await open(page, world, '/graphs/briefing/edit', /briefing/)
    await page.locator('.graph-node').first().waitFor()
  },
  async home(page, world) {
    await open(page, world, '/', 'Home')
    await page.getByText('write_file').first().waitFor()
  },
  async devices(page, world) {
    await open(page, world, '/devices', 'Devices')
    await page.getByText('Kitchen Pi').first().waitFor()
  },
  async search(page, world) {
    await open(page, world, `/searches/groups/${world.groupId}`, /invoice/)
    await page.getByText('invoice-0418.pdf').first().waitFor()
  },
  async run(page, world) {
    await open(page, world, `/runs/${world.runId}`, /^Run of/)
    await page.getByText('devices_list').first().waitFor()
  },
  async activity(page, world) {
    await open(page, world, '/runs', 'Activity')
    await page.getByText('What is on tomorrow?').first().waitFor()
  },
  async schedules(page, world) {
    await open(page, world, '/schedules', 'Schedules')
    await page.getByText('Look for new invoices').first().waitFor()
  },
}
