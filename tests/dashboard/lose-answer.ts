import type { Route } from 'playwright-core'

/** Lets a request through and takes its answer away: the server has done what it was asked for, and the page does not know. */
export async function loseAnswer(route: Route): Promise<void> {
  await route.fetch()
  await route.abort()
}
