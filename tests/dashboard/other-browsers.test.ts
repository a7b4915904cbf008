import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type DrivenBrowser, otherBrowsers } from './other-browsers.ts'
import { startServers, type Servers } from './start-servers.ts'

const limit = { timeout: 240_000 }

/** Remembers what goes wrong on a page from then on. */
const watch = `(() => {
  window.problems = []
  addEventListener('error', ({ message }) => problems.push(message))
  addEventListener('unhandledrejection', ({ reason }) => problems.push(String(reason)))
  const { error } = console
  console.error = (...said) => (problems.push(said.join(' ')), error(...said))
  return ''
})()`

describe.each(otherBrowsers)('the pages in $name', ({ name, missing, start }) => {
  describe.runIf(missing === undefined)(missing ?? 'are as in Chromium', limit, () => {
    let servers: Servers
    let browser: DrivenBrowser
    beforeAll(async () => {
      servers = await startServers({ environment: { DEMO_MODEL: 'test/echo' }, hasDevice: true })
      browser = await start()
    }, 240_000)
    afterAll(async () => {
      await browser?.[Symbol.asyncDispose]()
      await servers?.end()
    })

    const shown = (selector: string) =>
      browser.evaluate(`String(document.querySelector('${selector}')?.textContent ?? '')`)

    /** A link of the sidebar that was not followed yet. Empty if there is none. */
    const nextLink = async (seen: ReadonlySet<string>) => {
      const links = `[...document.querySelectorAll('nav a')].map((link) => link.getAttribute('href')).join(' ')`
      return (
        (await browser.evaluate(links)).split(' ').find((href) => href.startsWith('/') && !seen.has(href)) ??
        ''
      )
    }

    it('shows every section, without an error', async () => {
      await browser.open(`${servers.agentsUrl}/`)
      await expect.poll(() => shown('h1')).toBe('Home')
      await browser.evaluate(watch)
      await expect.poll(() => shown('body')).toContain('Connected')
      const seen = new Set<string>()
      // sections show their pages once they are open
      for (let href = await nextLink(seen); href !== ''; href = await nextLink(seen)) {
        seen.add(href)
        await browser.evaluate(`String(document.querySelector('nav a[href="${href}"]').click())`)
        await expect.poll(() => browser.evaluate('location.pathname')).toBe(href)
        await expect.poll(() => shown('main h1'), { message: href }).toMatch(/\S/)
        await expect.poll(() => shown('main'), { message: href }).not.toMatch(/Something went wrong|Loading/)
      }
      expect(seen.size).toBeGreaterThan(15)
      expect(await browser.evaluate(`problems.join('\\n')`), name).toBe('')
    })

    it('sends what a person types, and shows the reply as it comes', async () => {
      await browser.open(`${servers.agentsUrl}/chat/demo`)
      await expect
        .poll(() => browser.evaluate(`String(document.querySelector('main textarea') !== null)`))
        .toBe('true')
      await browser.evaluate(watch)
      await browser.evaluate(`String(document.querySelector('main textarea').focus())`)
      await browser.type(`Hello from ${name}\uE007`)
      const replies = () =>
        browser.evaluate(
          `String(document.querySelector('main').innerText.split('Hello from ${name}').length - 1)`,
        )
      // the question, and the model that repeats it
      await expect.poll(async () => Number(await replies())).toBeGreaterThanOrEqual(2)
      expect(await browser.evaluate(`problems.join('\\n')`), name).toBe('')
    })
  })
})
