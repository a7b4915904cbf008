import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults, RunOptions } from 'axe-core'
import type { Locator, Page } from 'playwright-core'
import { expect } from 'vitest'

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** Fails when axe finds a fault, be it small, on the page, and it stays: another layout takes a moment. By default with all rules. */
export async function expectAccessible(page: Page, rules?: readonly string[]): Promise<void> {
  // Evaluated, not added as a script: the page's content security policy refuses one. Once for each document.
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(await readFile(axePath, 'utf8'))
  const options: RunOptions = {
    resultTypes: ['violations'],
    // It would read all styles once more, for one rule about turned screens.
    preload: false,
    ...(rules && { runOnly: [...rules] }),
  }
  const findFaults = async () => {
    const results = await page.evaluate(async (options) => {
      const { axe } = globalThis as unknown as {
        axe: { run(context: object, options: RunOptions): Promise<AxeResults> }
      }
      // What React Aria says to screen readers may name a button that is gone by now; it is gone itself soon after.
      return axe.run({ exclude: ['[data-live-announcer]'] }, options)
    }, options)
    return results.violations.flatMap(({ id, help, nodes }) =>
      nodes.map(
        ({ html, failureSummary }) => `${id}: ${help}\n${html.slice(0, 300)}\n${failureSummary ?? ''}`,
      ),
    )
  }
  const message = `${new URL(page.url()).pathname} is accessible`
  await expect.poll(findFaults, { message, timeout: 10_000 }).toEqual([])
}

/** What can be otherwise in dark colours, and where rows are cards: the rest is the same document. */
const rulesOfLooks = [
  'color-contrast',
  'target-size',
  'scrollable-region-focusable',
  'aria-required-children',
  'aria-required-parent',
]

/**
 * Fails when a page is wider than a narrow, a usual or a wide window, or axe finds a fault: with all rules where it
 * is wide and light, and once more with those that matter where it is narrow and dark.
 */
export async function expectFineInEveryLook(page: Page): Promise<void> {
  for (const width of [1280, 1920]) {
    await page.setViewportSize({ width, height: 800 })
    await expectNoSidewaysScroll(page)
  }
  await expectAccessible(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 360, height: 800 })
  await expectNoSidewaysScroll(page)
  await expectAccessible(page, rulesOfLooks)
  await page.emulateMedia({ colorScheme: 'light' })
  await page.setViewportSize({ width: 1280, height: 800 })
}

/**
 * Goes to another path of the application as one of its links does, without loading it anew.
 *
 * @param shown what only the page of the path shows, once it is there.
 */
export async function goTo(page: Page, path: string, shown: Locator): Promise<void> {
  await page.evaluate((path) => history.pushState(null, '', path), path)
  await shown.first().waitFor()
}

/** Fails when the page is wider than its window, and stays so: another layout takes a moment. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const overhang = () =>
    page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement
      return scrollWidth - clientWidth
    })
  const name = `what of ${new URL(page.url()).pathname} is beyond its window, in pixels`
  await expect.poll(overhang, { message: name, timeout: 30_000 }).toBeLessThanOrEqual(0)
}
