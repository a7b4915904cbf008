import { type ComponentType, lazy, Suspense } from 'react'

// They call the agent platform, whose table the first load of a page does without.
const LazyBadge = lazyOrNothing(async () => (await import('./waiting-badge.tsx')).default)
const LazyNotices = lazyOrNothing(async () => (await import('./notices.tsx')).Notices)

/** How many decisions wait for a person, once it is known. */
export const WaitingBadge = () => (
  <Suspense fallback={null}>
    <LazyBadge />
  </Suspense>
)

/** Counts in the title of the tab what waits for a person, and notifies those who asked for it. */
export const Notices = () => (
  <Suspense fallback={null}>
    <LazyNotices />
  </Suspense>
)

/** The page works without them: what could not be loaded is left out. */
function lazyOrNothing(load: () => Promise<ComponentType>) {
  return lazy(async () => ({ default: await load().catch(() => () => null) }))
}
