import { once } from '../concurrency/once.ts'
import type { Logger } from '../ports/logger.ts'
import type { RuntimeSettings } from '../settings/runtime-settings.ts'
import type { RuntimeStore } from '../store/ports/runtime-store.ts'
import type { Webhooks } from '../webhooks/webhooks.ts'
import type { RuntimeOptions } from './runtime-options.ts'

/** Webhooks of a runtime, loaded when they are needed first. */
export interface WebhookWork {
  readonly webhooks: () => Promise<Webhooks>
  /** Begins to deliver. */
  readonly start: () => Promise<void>
  readonly close: () => Promise<void>
}

/** Creates them. */
export function createWebhookWork(parts: {
  readonly options: RuntimeOptions
  readonly store: RuntimeStore
  readonly settings: RuntimeSettings
  readonly logger: Logger
  readonly now: () => number
  readonly createId: () => string
}): WebhookWork {
  const { options, ...rest } = parts
  let isOpen = false
  const opened = once(async () => {
    const { openWebhooks } = await import('../webhooks/open-webhooks.ts')
    isOpen = true
    const { random = Math.random, resolveHost } = options
    return openWebhooks({ ...rest, random, resolveHost })
  })
  return {
    webhooks: async () => (await opened()).webhooks,
    start: async () => (await opened()).courier.start(),
    async close() {
      if (isOpen) await (await opened()).courier.close()
    },
  }
}
