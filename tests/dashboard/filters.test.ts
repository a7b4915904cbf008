import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeInBrowser } from './browser.ts'

/** Chooses in a field of one choice. */
async function choose(page: Page, field: RegExp, option: string): Promise<void> {
  await page.getByRole('button', { name: field }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

/** Goes to another page and back, as somebody who looks something up. */
async function leaveAndReturn(page: Page): Promise<void> {
  await page.getByRole('navigation').getByRole('link', { name: 'Agents', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
  await page.goBack()
}

describeInBrowser('what a list is narrowed to', { environment: { DEMO_MODEL: 'test/echo' } }, (world) => {
  let store: Server
  beforeAll(async () => {
    store = createServer((_, response) => {
      const skills = ['forecast', 'word-list'].map((slug) => ({
        slug,
        name: slug,
        description: 'It helps.',
        version: '1.0.0',
        url: `/${slug}.md`,
      }))
      response.end(JSON.stringify({ skills }))
    })
    await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve))
    const { agents, settings } = world.runtime()
    const url = `http://127.0.0.1:${(store.address() as AddressInfo).port}/registry.json`
    await settings.update({ registry_url: url })
    await agents.create({ id: 'parrot', model: 'test/echo' })
    await world.runtime().run({ agent_id: 'parrot', task: 'Say hello' })
  })
  afterAll(() => void store.close())

  it('stands in the address of the usage: a reload, a link and the way back keep it', async () => {
    const page = await world.openPage('agents', '/usage')
    await choose(page, /Time$/, 'Last 24 hours')
    await choose(page, /Agent$/, 'parrot')
    await choose(page, /Count$/, 'Model calls')
    await choose(page, /Group$/, 'By agent')
    const search = '?range=day&agent_id=parrot&count=calls&group=agent'
    expect(new URL(page.url()).search).toBe(search)
    const isAsChosen = async () => {
      const table = page.getByRole('region', { name: 'Usage in numbers' })
      await table.getByRole('columnheader', { name: 'Hour' }).waitFor()
      await table.getByRole('columnheader', { name: 'parrot' }).waitFor()
      await page.getByRole('button', { name: /^Model calls/ }).waitFor()
      await page.getByRole('button', { name: /^parrot/ }).waitFor()
    }
    await page.reload()
    await isAsChosen()
    await leaveAndReturn(page)
    await isAsChosen()
    await choose(page, /Time$/, 'Last 30 days')
    expect(new URL(page.url()).searchParams.has('range')).toBe(false)
    await page.goto(`${world.agentsUrl}/usage?range=ages&count=sheep&group=flock`) // none of the choices
    await page.getByRole('button', { name: /^Last 30 days/ }).waitFor()
    await page.getByRole('columnheader', { name: 'test/echo' }).waitFor()
  })

  it('stands in the address of the messages of a channel', async () => {
    const page = await world.openPage('agents', '/channels/channel_d')
    await choose(page, /Status$/, 'Failed')
    await page.getByText('No messages match this filter.').waitFor()
    expect(new URL(page.url()).search).toBe('?status=failed')
    await page.reload()
    await page.getByText('No messages match this filter.').waitFor()
    await leaveAndReturn(page)
    await page.getByText('No messages match this filter.').waitFor()
    await page.getByRole('button', { name: /^Failed/ }).waitFor()
  })

  it('stands in the address of the skill store, whose tab stays', async () => {
    const page = await world.openPage('agents', '/skills?tab=store')
    const items = page.getByRole('list', { name: 'Skills of the store' }).getByRole('listitem')
    await expect.poll(() => items.count()).toBe(2)
    await page.getByLabel('Search the store').fill('word')
    await expect.poll(() => items.count()).toBe(1)
    expect(new URL(page.url()).search).toBe('?tab=store&text=word')
    await page.reload()
    await items.getByRole('heading', { name: 'word-list' }).waitFor()
    expect(await items.count()).toBe(1)
    await leaveAndReturn(page)
    await items.getByRole('heading', { name: 'word-list' }).waitFor()
    expect(await page.getByLabel('Search the store').inputValue()).toBe('word')
  })
})
