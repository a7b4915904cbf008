import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { describeInBrowser, screenshot } from '../browser.ts'
import { expectFineInEveryLook, goTo } from '../expect-accessible.ts'

describeInBrowser('the first minute, without a key', { hasDevice: true }, (world) => {
  it('finding 3: says that a test model replies, in plain words, and where a key goes', async () => {
    const page = await world.openPage('agents', '/')
    await page.getByText('0 of 4 done').waitFor()
    await page.getByText(/Until then, a built-in test model replies/).waitFor()
    await page.getByLabel('API key').waitFor()
    await page.getByRole('link', { name: 'Talk to Demo' }).click()
    const message = page.getByRole('textbox', { name: /^Message to/ })
    await message.fill('hello, can you help me plan my week?')
    await message.press('Enter')
    const answer = page.getByRole('log', { name: /^Conversation with/ })
    await answer.getByText(/I am the built-in test model, not a language model/).waitFor()
    expect(await answer.getByText('"devices"').count()).toBe(0)
  })

  it('finding 7: both ports show one application, with one theme', async () => {
    const page = await world.openPage('agents', '/')
    await page.getByRole('radio', { name: 'Dark theme' }).click()
    const theme = () => page.evaluate(() => document.documentElement.dataset['theme'])
    for (const url of [world.agentsUrl, world.cloudUrl]) {
      await page.goto(`${url}/devices`)
      await page.getByRole('heading', { level: 1, name: 'Devices' }).waitFor()
      expect(await theme(), url).toBe('dark')
      await page.getByRole('link', { name: 'Agents', exact: true }).click()
      await page.getByRole('heading', { level: 1, name: 'Agents' }).waitFor()
    }
    await page.getByRole('radio', { name: 'Theme of the system' }).click()
  })

  it('finding 14: Ctrl+K finds and asks on every page, and ? lists the keys', async () => {
    const page = await world.openPage('devices', '/files')
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Find or ask' }).waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  })

  it('smaller: Help opens the guides in the application, with links from one to another', async () => {
    const page = await world.openPage('devices')
    await page.getByRole('link', { name: 'Help', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Help' }).waitFor()
    await expectFineInEveryLook(page)
    await screenshot(page, 'help')
    await page.getByRole('link', { name: 'Concepts' }).click()
    await page.waitForURL('**/help/guides/concepts')
    await page.getByRole('heading', { level: 1, name: /Concepts/ }).waitFor()
    await expectFineInEveryLook(page)
    await page.setViewportSize({ width: 390, height: 844 })
    await screenshot(page, 'help-390')
    await page.setViewportSize({ width: 1280, height: 800 })
    await goTo(page, '/help/guides/nowhere', page.getByText('Guide not found'))
    await page.getByRole('link', { name: 'All help' }).click()
    await page.getByRole('heading', { level: 1, name: 'Help' }).waitFor()
  })

  it('loads less than 200 kB, compressed, before a page shows', async () => {
    const html = await (await fetch(world.agentsUrl)).text()
    const paths = [...new Set(html.match(/\/assets\/[^"]+/g))]
    expect(paths.length).toBeGreaterThan(2)
    const sizes = await Promise.all(
      paths.map(async (path) => {
        const file = await (await fetch(new URL(path, world.agentsUrl))).arrayBuffer()
        return gzipSync(file, { level: 9 }).length
      }),
    )
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(200_000)
  })
})
