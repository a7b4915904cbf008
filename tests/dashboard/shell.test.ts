import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { describeInBrowser } from './browser.ts'
import { expectFineInEveryLook, goTo } from './expect-accessible.ts'

/** Whether something else lies over what has the focus. */
const isCovered = (page: Page) =>
  page.evaluate(() => {
    const field = document.activeElement
    const box = field?.getBoundingClientRect() ?? new DOMRect()
    const top = document.elementFromPoint(box.left + box.width / 2, box.top + Math.min(box.height, 40) / 2)
    // a checkbox is drawn by its label
    return !(top !== null && (field?.closest('label') ?? field)?.contains(top))
  })

describeInBrowser('the frame of the application', { hasDevice: true }, (world) => {
  it('is accessible and fits every window, light and dark', async () => {
    for (const dashboard of ['devices', 'agents'] as const) {
      const page = await world.openPage(dashboard, dashboard === 'devices' ? '/devices' : '/')
      await page.getByRole('heading', { level: 1 }).waitFor()
      await expectFineInEveryLook(page)
    }
  })

  it('is one application on both ports, with one theme', async () => {
    for (const port of ['devices', 'agents'] as const) {
      const page = await world.openPage(port, '/')
      const origin = new URL(page.url()).origin
      await page.getByRole('navigation').getByRole('link', { name: 'Agents' }).click()
      await page.getByRole('row', { name: /Demo/ }).or(page.getByText('Demo')).first().waitFor()
      await page.getByRole('radio', { name: 'Dark theme' }).click()
      await page.getByRole('navigation').getByRole('link', { name: 'Devices', exact: true }).click()
      await page
        .getByRole('row', { name: /online/ })
        .first()
        .waitFor()
      expect(await page.getByRole('radio', { name: 'Dark theme' }).isChecked()).toBe(true)
      expect(page.url()).toBe(`${origin}/devices`)
      expect(await page.title()).toBe('Devices · Homeward')
    }
  })

  it('keeps the theme that was chosen, for the next visit too', async () => {
    const page = await world.openPage('devices', '/devices', { reducedMotion: 'no-preference' })
    const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor)
    const light = await background()
    await page.getByRole('radio', { name: 'Dark theme' }).click()
    await expect.poll(background).not.toBe(light)
    const dark = await background()
    await page.reload()
    await page.getByRole('radio', { name: 'Dark theme' }).waitFor()
    expect(await background()).toBe(dark)
    await page.getByRole('radio', { name: 'Theme of the system' }).click()
    expect(await background()).toBe(light)
  })

  it('has its navigation behind a button where there is little room', async () => {
    const page = await world.openPage('devices', '/devices', { viewport: { width: 360, height: 740 } })
    await page.getByRole('button', { name: 'Open the navigation' }).click()
    await page.getByRole('link', { name: 'Searches', exact: true }).click()
    await page.getByRole('heading', { name: 'Searches', level: 1 }).waitFor()
    expect(await page.getByRole('link', { name: 'Searches', exact: true }).isVisible()).toBe(false)
    expect(page.url()).toBe(`${world.cloudUrl}/searches`)
    await page.reload() // a deep link is a page
    await page.getByRole('heading', { name: 'Searches', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Open the navigation' }).click()
    await page.getByRole('link', { name: 'Searches', exact: true }).click() // the page that shows already
    await page.getByRole('button', { name: 'Open the navigation' }).waitFor()
  })

  it('opens its navigation where a page is scrolled to, and all of it can be reached', async () => {
    const page = await world.openPage('agents', '/settings', { viewport: { width: 360, height: 480 } })
    await page.getByRole('textbox').first().waitFor()
    await page.evaluate(() => window.scrollTo(0, 900))
    await page.getByRole('button', { name: 'Open the navigation' }).click()
    const sidebar = page.getByRole('complementary', { name: 'Sidebar' })
    const box = await sidebar.boundingBox()
    expect(box?.y).toBeGreaterThanOrEqual(0)
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(480)
    await page.getByRole('link', { name: 'Advanced' }).scrollIntoViewIfNeeded()
    expect(await page.evaluate(() => window.scrollY)).toBeGreaterThan(0)
  })

  it('covers no field of a form where it is enlarged to 400 percent', async () => {
    const page = await world.openPage('agents', '/agents/demo', { viewport: { width: 320, height: 256 } })
    await page.getByLabel('Name', { exact: true }).fill('Not saved')
    await page.getByText('Not saved yet').waitFor()
    await page.keyboard.press('Tab')
    for (let field = 0; field < 8; field += 1) {
      expect(await isCovered(page)).toBe(false)
      await page.keyboard.press('Tab')
    }
    page.on('dialog', (dialog) => void dialog.accept())
  })

  it('covers no field that the keyboard goes to, neither by what is not saved nor by a message', async () => {
    const page = await world.openPage('agents', '/agents/_new')
    await page.getByLabel('Name', { exact: true }).fill('Covered by nothing')
    await page.getByRole('combobox', { name: /^Model/ }).fill('test/echo')
    await page.getByText('Not saved yet').waitFor()
    for (let field = 0; field < 7; field += 1) {
      await page.keyboard.press('Tab')
      expect(await isCovered(page)).toBe(false)
    }
    await page.getByRole('button', { name: 'Create agent' }).click()
    await page.getByRole('main').getByRole('link', { name: 'Chat' }).click()
    const composer = page.getByRole('form', { name: 'Write a message' })
    await composer.waitFor()
    const message = await page.getByText('Covered by nothing created').boundingBox()
    const written = await composer.boundingBox()
    expect(message!.y + message!.height).toBeLessThan(written!.y)
  })

  it('tells what is current, chosen and on where people have few colours of their own', async () => {
    const page = await world.openPage('agents', '/skills')
    await page.emulateMedia({ forcedColors: 'active' })
    const style = (name: 'backgroundColor' | 'borderBottomColor', one: Locator) =>
      one.evaluate((element, name) => getComputedStyle(element)[name], name)
    const [current, other] = [
      page.getByRole('link', { name: 'Skills', exact: true }),
      page.getByRole('link', { name: 'Channels', exact: true }),
    ]
    expect(await style('backgroundColor', current)).not.toBe(await style('backgroundColor', other))
    const [chosen, tab] = [
      page.getByRole('tab', { name: 'Installed' }),
      page.getByRole('tab', { name: 'Store' }),
    ]
    expect(await style('borderBottomColor', chosen)).not.toBe(await style('borderBottomColor', tab))

    await goTo(page, '/logs', page.getByRole('heading', { name: 'Logs', level: 1 }))
    const track = page.locator('.switch-track').first()
    const before = await style('backgroundColor', track)
    await track.click()
    expect(await style('backgroundColor', track)).not.toBe(before)
    await page.emulateMedia({ forcedColors: null })
  })

  it('begins each page at its top with the focus on its content, and finds the place again on the way back', async () => {
    const page = await world.openPage('agents', '/settings', { viewport: { width: 1280, height: 400 } })
    await page.getByRole('textbox').first().waitFor()
    await page.evaluate(() => window.scrollTo(0, 150))
    await page.getByRole('link', { name: 'Home', exact: true }).click()
    const content = page.getByRole('main', { name: 'Home' })
    await content.waitFor()
    expect(await content.evaluate((main) => main === document.activeElement)).toBe(true)
    expect(await page.evaluate(() => window.scrollY)).toBe(0)
    await page.goBack()
    await page.getByRole('main', { name: 'Models' }).waitFor()
    await expect.poll(() => page.evaluate(() => window.scrollY)).toBe(150)
  })

  it('goes by the keyboard as it is written, from left to right, whatever the language of the browser', async () => {
    const page = await world.openPage('agents')
    await page.addInitScript(() => Object.defineProperty(navigator, 'language', { value: 'ar-EG' }))
    await page.reload()
    await page.getByRole('radio', { name: 'Theme of the system' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.locator('[aria-label="Light theme"]:focus').waitFor()
    await page.close() // it keeps the script
  })

  it('loads a page that could not be loaded by itself once the server answers, and says meanwhile why it is not there', async () => {
    const page = await world.openPage('agents', '/runs')
    await page.route('**/assets/usage-page-*', (route) => route.abort())
    await page.route('**/dashboard.json', (route) => route.abort())
    await page.getByRole('link', { name: 'Usage' }).click()
    await page.getByText('could not be loaded. The server does not respond').waitFor()
    world.forgetProblems(/could not be loaded/)
    await page.unrouteAll()
    await page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor()

    // What is still not there after that is not asked for for ever.
    await page.route('**/assets/logs-page-*', (route) => route.abort())
    await page.getByRole('link', { name: 'Logs' }).click()
    await page.getByText('could not be loaded. The server does not respond').waitFor()
    world.forgetProblems(/could not be loaded/)
    await page.unrouteAll()
    await page.getByRole('button', { name: 'Reload the page' }).click()
    await page.getByRole('heading', { name: 'Logs', level: 1 }).waitFor()
  })

  it('reads again by itself what a busy server refused', async () => {
    const page = await world.openPage('agents')
    await page.route('**/api/settings', (route) => route.fulfill({ status: 503, json: { error: 'Busy' } }))
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByText('HTTP 503').waitFor()
    await page.unrouteAll()
    await page.getByRole('textbox').first().waitFor()
  })

  it('names a page already while what it shows is being read', async () => {
    const page = await world.openPage('agents')
    await page.route('**/api/agents', () => {}) // never answered
    for (const [path, title] of [
      ['/chat', 'Chat'],
      ['/graphs/_new', 'New graph'],
    ] as const) {
      await page.goto(world.agentsUrl + path)
      await page.getByRole('main', { name: title }).getByText('Loading').waitFor()
    }
  })

  it('says that there is no such page, and keeps the navigation', async () => {
    const page = await world.openPage('agents', '/nowhere/at/all')
    await page.getByRole('navigation', { name: 'Pages' }).waitFor()
    await page
      .getByText(/no such page|not found/i)
      .first()
      .waitFor()
  })
})
