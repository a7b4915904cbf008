import { expect, it } from 'vitest'
import { describeInBrowser } from './browser.ts'

describeInBrowser('a long answer', { hasDevice: true }, (world) => {
  it('ends in sight, also when it is laid out behind its arrival', async () => {
    const page = await world.openPage('agents', '/chat/demo')
    await page.setViewportSize({ width: 360, height: 640 })
    await page.getByRole('button', { name: /^Which devices/ }).click()
    await page.getByRole('log').getByRole('group', { name: 'Code' }).waitFor()
    await page.getByRole('link', { name: 'Timeline' }).waitFor()
    const leftBelow = () =>
      page.evaluate(() => {
        const { scrollHeight, clientHeight, scrollTop } = document.documentElement
        return Math.round(scrollHeight - clientHeight - scrollTop)
      })
    await expect.poll(leftBelow).toBe(0)
  })
})
