import { expect, it } from 'vitest'
import { describeInBrowser } from './browser.ts'

const pages = [
  ['agents', '/agents/nobody', 'agent', 'agents'],
  ['agents', '/chat/nobody', 'agent', 'agents'],
  ['agents', '/skills/nobody', 'skill', 'skills'],
  ['agents', '/graphs/nobody', 'graph', 'graphs'],
  ['agents', '/graphs/nobody/edit', 'graph', 'graphs'],
  ['agents', '/tasks/nobody', 'task', 'tasks'],
  ['agents', '/runs/nobody', 'run', 'activity'],
  ['agents', '/conversations/nobody', 'conversation', 'conversations'],
  ['agents', '/channels/nobody', 'channel', 'channels'],
  ['devices', '/devices/nobody', 'device', 'devices'],
  ['devices', '/searches/nobody', 'search', 'searches'],
] as const

describeInBrowser('a page of what there is not', { environment: { DEMO_MODEL: 'test/echo' } }, (world) => {
  it('says so plainly, leads to the list, and offers nothing that cannot help', async () => {
    for (const [dashboard, path, kind, list] of pages) {
      const page = await world.openPage(dashboard, path)
      const main = page.getByRole('main')
      await main.getByRole('heading', { name: new RegExp(`^${kind} not found$`, 'i') }).waitFor()
      await main.getByText('nobody').last().waitFor()
      expect(await main.getByText(/Not found|HTTP 404/).count(), path).toBe(0)
      expect(await main.getByRole('button', { name: 'Try again' }).count(), path).toBe(0)
      await main.getByRole('link', { name: `All ${list}` }).click()
      await expect.poll(() => page.title()).toMatch(new RegExp(`^${list}`, 'i'))
    }
  })

  it('keeps what was read of what somebody deletes meanwhile, without offering to read it again', async () => {
    const { agents } = world.runtime()
    await agents.create({ id: 'short-lived', name: 'Short-lived', model: 'test/echo' })
    const page = await world.openPage('agents', '/agents/short-lived')
    const name = page.getByRole('textbox', { name: 'Name' })
    await name.fill('Not saved')
    await agents.delete('short-lived')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Not found').first().waitFor()
    expect(await name.inputValue()).toBe('Not saved')
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  })
})
