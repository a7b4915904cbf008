import type { Dialog, Page } from 'playwright-core'

/**
 * Loads a page anew, whatever the browser asks.
 *
 * @returns whether the browser asked first: something that was written is not saved.
 */
export async function reloadAsking(page: Page): Promise<boolean> {
  let isAsked = false
  const answer = (dialog: Dialog) => {
    isAsked = dialog.type() === 'beforeunload'
    void dialog.accept()
  }
  page.on('dialog', answer)
  await page.reload()
  page.off('dialog', answer)
  return isAsked
}
