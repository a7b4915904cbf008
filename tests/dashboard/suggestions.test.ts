import { expect, it } from 'vitest'
import { describeInBrowser } from './browser.ts'

describeInBrowser('the suggestions of a field', {}, (world) => {
  it('stay open when the keyboard goes to one, also over the bar of a changed form', async () => {
    const page = await world.openPage('agents', '/agents/_new')
    const model = page.getByRole('combobox', { name: /^Model/ })
    await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Keys')
    const field = await model.boundingBox()
    const height = Math.round((field?.y ?? 0) + (field?.height ?? 0) + 85)
    await page.setViewportSize({ width: 1280, height })
    await model.focus()
    await page.keyboard.type('test/ec')
    const box = await page.getByRole('option', { name: 'test/echo' }).boundingBox()
    // Nearer to the lower edge than a field may be that gets the focus: 5rem.
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeGreaterThan(height - 80)
    await page.keyboard.press('ArrowDown')
    await page.evaluate(() => new Promise((seen) => requestAnimationFrame(() => requestAnimationFrame(seen))))
    expect(await page.evaluate(() => window.scrollY)).toBe(0)
    await page.keyboard.press('Enter')
    expect(await model.inputValue()).toBe('test/echo')
    expect(new URL(page.url()).pathname).toBe('/agents/_new')
  })

  it('suggests thousands of skills, of which the page holds those in sight', async () => {
    const skills = Array.from({ length: 3000 }, (_, index) => {
      const id = `skill-${String(index).padStart(4, '0')}`
      return {
        id,
        name: id,
        description: '',
        tools: [],
        required_env: [],
        missing_env: [],
        configured: true,
      }
    })
    const page = await world.openPage('agents', '/agents')
    await page.route('**/api/skills', (route) => route.fulfill({ json: { skills } }))
    await page.goto(`${world.agentsUrl}/agents/_new`)
    await page.getByRole('button', { name: 'Skills and tools', exact: true }).click()
    const open = page.getByRole('button', { name: /Skills$/ })
    // what scrolls the page closes the list: focus, too, where the field is at the edge of the window
    await open.evaluate((button) => button.scrollIntoView({ block: 'center' }))
    await open.click()
    await page.getByRole('option', { name: 'skill-0000' }).waitFor()
    expect(await page.getByRole('option').count()).toBeLessThan(100)
    await page.keyboard.type('skill-299')
    await page.getByRole('option', { name: 'skill-2999' }).waitFor()
    expect(await page.getByRole('option').count()).toBe(10)
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Escape')
    await page.getByRole('row', { name: 'skill-2999' }).waitFor()
    expect(await page.getByRole('combobox', { name: /^Skills/ }).inputValue()).toBe('')
  })
})
