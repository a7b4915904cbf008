import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { findChromium, howToGetChromium } from './find-chromium.ts'
import { type ServerOptions, type Servers, startServers } from './start-servers.ts'
import { createTestPages, type PageOptions, type TestPages } from './test-pages.ts'

/**
 * What Chromium leaves out. It takes the last list that it is given, so this one repeats what Playwright leaves out. The
 * suggestions of the address bar, which nobody sees here, start two processes for each window.
 */
const disabledFeatures = [
  'WebUIOmniboxPopup',
  'WebUIOmniboxAimPopup',
  'WebUIOmniboxFullPopup',
  'AimEnabled',
  'AvoidCorsURLLoaderRestartOnRedirect',
  'AvoidUnnecessaryBeforeUnloadCheckSync',
  'DestroyProfileOnBrowserClose',
  'HttpsFirstBalancedModeAutoEnable',
  'HttpsUpgrades',
  'LensOverlay',
  'MediaRouter',
  'NetworkTimeServiceQuerying',
  'OptimizationHints',
  'PaintHolding',
  'PreconnectToSearch',
  'ThirdPartyStoragePartitioning',
]

/** Tests need neither the sandbox nor the network, which a test machine may lack. */
export const chromiumArguments = [
  `--disable-features=${disabledFeatures.join()}`,
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

// A browser, its page, two servers and other tests share the processors: in CI one more try decides.
const limit = { timeout: 240_000, retry: process.env['CI'] ? 1 : 0 }
/** Building the dashboard is part of the first start. */
const startWithinMs = 240_000
/** How long a page may take for what a test waits for, with other tests beside it. */
const actionWithinMs = 30_000

/** What a test in a browser has: the servers, and pages of them. It is there once the tests run. */
export interface DashboardWorld extends Servers {
  /** Opens a page at the port of one of the APIs, as in a browser where nobody was before this test. */
  openPage(dashboard: 'devices' | 'agents', path?: string, options?: PageOptions): Promise<Page>
  /**
   * What went wrong on the page: errors of its scripts, what the content security policy refused, and requests that left the
   * server. After each test there must be nothing; `expected` takes what belongs to the test.
   */
  problems(): readonly string[]
  /** Takes problems that belong to the test. */
  forgetProblems(expected: RegExp): void
}

let running: Promise<Browser> | undefined

/** One browser for all files of a process, which ends with it: to start one takes longer than many a test. */
export function openBrowser(executablePath: string): Promise<Browser> {
  const start = async () => {
    const browser = await chromium.launch({ executablePath, args: chromiumArguments })
    browser.on('disconnected', () => (running = undefined))
    return browser
  }
  return (running ??= start())
}

/**
 * `describe` for tests in a real browser: one context of it and both servers for all of them. Where there is no Chromium, CI fails
 * and says how to get one; elsewhere the tests are skipped with those words.
 *
 * @example
 * describeInBrowser('the list of devices', { hasDevice: true }, (world) => {
 *   it('shows this machine', async () => {
 *     const page = await world.openPage('devices', '/devices')
 *     await page.getByText('online').waitFor()
 *   })
 * })
 */
export function describeInBrowser(
  title: string,
  options: ServerOptions,
  body: (world: DashboardWorld) => void,
): void {
  const executablePath = findChromium()
  if (executablePath === undefined && process.env['CI']) {
    describe(title, () => {
      it('has a browser', () => expect.fail(howToGetChromium))
    })
    return
  }
  const name = executablePath === undefined ? `${title} (${howToGetChromium})` : title
  describe.runIf(executablePath !== undefined)(name, limit, () => {
    body(prepareWorld(options, executablePath ?? ''))
  })
}

function prepareWorld(options: ServerOptions, executablePath: string): DashboardWorld {
  let context: BrowserContext | undefined
  let pages: TestPages | undefined
  let problems: string[] = []
  // filled before the first test
  const world = {} as Servers
  let servers: Servers | undefined

  beforeAll(async () => {
    const [browser, started] = await Promise.all([openBrowser(executablePath), startServers(options)])
    servers = started
    context = await openContext(browser)
    Object.assign(world, servers)
    const origins = [started.cloudUrl, started.agentsUrl]
    pages = createTestPages(context, (page) => watch(page, origins, (problem) => problems.push(problem)))
  }, startWithinMs)

  afterEach(async ({ task }) => {
    await pages?.settle(task.result?.state !== 'fail')
    const seen = problems
    problems = []
    expect(seen, 'what went wrong on the pages').toEqual([])
  })

  afterAll(async () => {
    await context?.close()
    await servers?.end()
  })

  return Object.assign(world, {
    openPage(
      dashboard: 'devices' | 'agents',
      path = dashboard === 'devices' ? '/devices' : '/',
      options: PageOptions = {},
    ) {
      if (!pages) throw new Error('Pages can be opened in tests only.')
      const base = dashboard === 'devices' ? world.cloudUrl : world.agentsUrl
      return pages.open(new URL(path, base).href, options)
    },
    problems: () => problems,
    forgetProblems(expected: RegExp) {
      problems = problems.filter((problem) => !expected.test(problem))
    },
  })
}

/** One for all tests of a file: opening one takes the browser longer than loading a page. */
async function openContext(browser: Browser): Promise<BrowserContext> {
  const context = await browser.newContext({
    locale: 'en-GB',
    permissions: ['clipboard-read', 'clipboard-write'],
  })
  context.setDefaultTimeout(actionWithinMs)
  return context
}

/** A browser says so on its own when a server is not there, or refuses: those are not faults of the page. */
const saidByTheBrowser = /^Failed to load resource|^WebSocket connection to/

function watch(page: Page, origins: readonly string[], tell: (problem: string) => void): void {
  page.on('pageerror', (error) => tell(`error: ${error.stack ?? error.message}`))
  page.on('console', (message) => {
    if (message.type() === 'error' && !saidByTheBrowser.test(message.text()))
      tell(`console: ${message.text()}`)
  })
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url())
    if (/^https?:$/.test(protocol) && !origins.includes(origin)) tell(`request: ${request.url()}`)
  })
}

/** Saves a picture to look at, in the folder that `SCREENSHOTS` names; without one it does nothing. */
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOTS']
  if (folder === undefined || folder === '') return
  await mkdir(folder, { recursive: true })
  await page.screenshot({ path: join(folder, `${name}.png`) })
}
