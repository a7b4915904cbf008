import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'
import { expect } from 'vitest'

const axePath = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** Fails when axe finds a serious or critical fault on the page as it is now. */
export async function expectAccessible(page: Page): Promise<void> {
  // Evaluated, not added as a script: the page's content security policy refuses one.
  await page.evaluate(await readFile(axePath, 'utf8'))
  const results = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: { run(context: object, options: object): Promise<AxeResults> }
    }
    // What React Aria says to screen readers may name a button that is gone by now; it is gone itself soon after.
    return axe.run({ exclude: ['[data-live-announcer]'] }, { resultTypes: ['violations'] })
  })
  const serious = results.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  const faults = serious.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${help}\n${html.slice(0, 300)}\n${failureSummary ?? ''}`),
  )
  expect(faults, `${new URL(page.url()).pathname} is accessible`).toEqual([])
}

/**
 * The widths at which a page is looked at. Axe takes a second or two a page, so it looks at the last one only: at a wide page
 * in light colours, and at a narrow one in dark colours.
 */
export function widthsIn(colorScheme: 'light' | 'dark'): readonly number[] {
  return colorScheme === 'light' ? [360, 1280, 1920] : [1920, 1280, 360]
}

/**
 * The pages to look at in a theme: each in one of the two, since it takes seconds; all of them in both for `npm run soak`, by
 * `DASHBOARD_PAGES=all`.
 */
export function inTurn<Path>(colorScheme: 'light' | 'dark', paths: readonly Path[]): readonly Path[] {
  if (process.env['DASHBOARD_PAGES'] === 'all') return paths
  return paths.filter((_, index) => (index % 2 === 0) === (colorScheme === 'light'))
}

/** Fails when the page is wider than its window, and stays so: another layout takes a moment. */
export async function expectNoSidewaysScroll(page: Page): Promise<void> {
  const overhang = () =>
    page.evaluate(() => {
      const { scrollWidth, clientWidth } = document.documentElement
      return scrollWidth - clientWidth
    })
  const name = `what of ${new URL(page.url()).pathname} is beyond its window, in pixels`
  await expect.poll(overhang, { message: name, timeout: 5000 }).toBeLessThanOrEqual(0)
}
