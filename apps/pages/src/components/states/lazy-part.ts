import { type ComponentType, lazy, type LazyExoticComponent } from 'react'

/** A part of the application that the browser could not load. */
export class PartNotLoaded extends Error {
  override readonly name = 'PartNotLoaded'

  constructor(cause: unknown) {
    // The loader's own words name a file of the build, which tells nobody what to do.
    const why = 'The server does not respond, or it has a newer version. Reload the page.'
    super(`This part of the application could not be loaded. ${why}`, { cause })
  }
}

/**
 * A component that is loaded when it is first shown.
 *
 * @throws {PartNotLoaded} while it is rendered, when it could not be.
 */
export function lazyPart<Props>(
  load: () => Promise<ComponentType<Props>>,
): LazyExoticComponent<ComponentType<Props>> {
  return lazy(async () => ({
    default: await load().catch((cause: unknown) => {
      throw new PartNotLoaded(cause)
    }),
  }))
}
