import type { BrowserContext, Page } from 'playwright-core'

/** How a page is opened. */
export interface PageOptions {
  /** @default 'light' */
  readonly colorScheme?: 'light' | 'dark'
  /** @default 'reduce': what moves costs time, and shows nothing that a test looks at */
  readonly reducedMotion?: 'reduce' | 'no-preference'
  /** @default 1280 × 800 */
  readonly viewport?: { readonly width: number; readonly height: number }
}

/** The pages of the tests of a file. */
export interface TestPages {
  /** Opens a page at a URL, as in a tab where nobody was before this test. */
  open(url: string, options: PageOptions): Promise<Page>
  /**
   * To be called after each test: what its pages have kept in the browser must not reach the next one.
   *
   * @param isFine whether the test has passed: after one that has not, nobody knows what its pages are doing.
   */
  settle(isFine: boolean): Promise<void>
}

/** What every server answers at once, without a script: it ends what a page was doing. */
const quietPath = '/dashboard.json'

const usualViewport = { width: 1280, height: 800 }

/**
 * Opens the pages of tests. A tab with its process takes the browser about as long as loading a page into it: the first
 * one of a test is taken over by the next, once it is as new.
 *
 * @param watch is called with each page before it loads anything.
 */
export function createTestPages(context: BrowserContext, watch: (page: Page) => void): TestPages {
  let idle: { readonly page: Page; readonly origin: string } | undefined
  let first: { readonly page: Page; readonly origin: string } | undefined

  async function takeOrOpen(origin: string): Promise<Page> {
    const taken = idle?.origin === origin ? idle.page : undefined
    if (taken) idle = undefined
    const page = taken ?? (await context.newPage())
    first ??= { page, origin }
    return page
  }

  return {
    async open(url, { colorScheme = 'light', reducedMotion = 'reduce', viewport = usualViewport }) {
      const page = await takeOrOpen(new URL(url).origin)
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme, reducedMotion })
      watch(page)
      await page.goto(url)
      return page
    },
    async settle(isFine) {
      const last = first
      first = undefined
      await context.clearCookies()
      if (isFine && last && (await makeNew(last.page, last.origin))) idle = last
      await Promise.all(context.pages().map(async (page) => page === idle?.page || forgetAndClose(page)))
    },
  }
}

/**
 * Makes a page as one that was just opened.
 *
 * @returns whether it is: one that went elsewhere, or whose server is gone, is not.
 */
async function makeNew(page: Page, origin: string): Promise<boolean> {
  try {
    if (new URL(page.url()).origin !== origin) return false
    page.removeAllListeners()
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.mouse.move(0, 0)
    const answer = await page.goto(origin + quietPath)
    if (answer === null) return false
    await page.evaluate(() => {
      localStorage.clear()
      sessionStorage.clear()
    })
    return true
  } catch {
    return false
  }
}

/** What a tab keeps goes with it. */
async function forgetAndClose(page: Page): Promise<void> {
  await page.evaluate(() => localStorage.clear()).catch(() => {}) // where it did not load, it kept nothing
  await page.close()
}

/** Chooses one of the actions that stand behind "…". @param of what the menu is called */
export async function chooseAction(page: Page, name: string, of = 'More actions'): Promise<void> {
  await page.getByRole('button', { name: of }).click()
  await page.getByRole('menuitem', { name }).click()
}
