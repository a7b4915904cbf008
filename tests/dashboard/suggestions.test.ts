import { expect, it } from 'vitest'
import { describeInBrowser } from './browser.ts'

describeInBrowser('the suggestions of a field', {}, (world) => {
  it('stay open when the keyboard goes to one, also over the bar of a changed form', async () => {
    const page = await world.openPage('agents', '/agents/_new')
    const model = page.getByRole('combobox', { name: /^Model/ })
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Keys')
    await model.focus()
    await page.keyboard.type('test/ec')
    const box = await page.getByRole('option', { name: 'test/echo' }).boundingBox()
    // Nearer to the lower edge than a field may be that gets the focus: 5rem of 800 pixels.
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeGreaterThan(720)
    await page.keyboard.press('ArrowDown')
    await page.evaluate(() => new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen))))
    expect(await page.evaluate(() => window.scrollY)).toBe(0)
    await page.keyboard.press('Enter')
    expect(await model.inputValue()).toBe('test/echo')
    expect(new URL(page.url()).pathname).toBe('/agents/_new')
  })
})
