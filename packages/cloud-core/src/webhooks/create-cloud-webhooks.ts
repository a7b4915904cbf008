import { type WebhookDispatcher, createWebhookDispatcher, type WebhookSender } from '@homeward/kit/webhooks'
import { quietTimers } from '../context/time.ts'
import type { Timers } from '@homeward/kit'
import type { AuditLog } from '../audit/audit-log.ts'
import type { CloudContext } from '../context/cloud-context.ts'
import { createEventSight, replaceVerbs } from '../access/limit-store.ts'
import type { Departures } from '../access/sight.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
import type { DueCloudDelivery } from '../ports/webhook-store.ts'
import { createSecretReader } from './secrets.ts'
import { toOnlineEvent, toShareEvent } from './to-webhook-event.ts'

/** Webhooks of a cloud that sends them (C33). */
interface CloudWebhooks {
  readonly sender: WebhookSender
  readonly courier: WebhookDispatcher
  /** Stores the events that no transaction of the store knows of, and delivers soon what others stored. */
  readonly note: CloudContext['emit']
}

/** What the operations on webhooks share. */
export interface WebhookContext extends CloudContext {
  readonly audit: AuditLog
  /** Undefined where the cloud sends no webhooks. */
  readonly webhooks: CloudWebhooks | undefined
}

/** What {@link createCloudWebhooks} works with. */
interface CloudWebhooksSetup {
  readonly sender: WebhookSender
  readonly store: CloudStore
  readonly departures: Departures
  readonly keySecret: string | undefined
  readonly now: () => number
  readonly random: () => number
  readonly timers: Timers | undefined
  readonly onError: (error: unknown) => void
}

/** Creates them. */
export function createCloudWebhooks(setup: CloudWebhooksSetup): CloudWebhooks {
  const { sender, store, now, random, timers = quietTimers, onError } = setup
  const courier = createWebhookDispatcher({
    sender,
    store: withFilters(store, setup.departures),
    now,
    random,
    timers,
    onError,
    reveal: createSecretReader(setup.keySecret),
  })

  // A process before may have left something, and nobody need call this one.
  courier.start()
  return {
    sender,
    courier,
    note(name, event) {
      // the event of each name has its own shape
      if (name === 'device:online') void courier.add([toOnline(event as OnlineEvent)])
      else if (name === 'fleet:offline-share') void courier.add([toShareEvent(event as ShareEvent)])
      else if (stored.has(name)) courier.nudge()
    },
  }
}

/** A store that gives no delivery to a webhook whose filter leaves its device out, as that device is now. */
function withFilters(store: CloudStore, departures: Departures): CloudStore {
  const isFor = async ({ delivery, webhook }: DueCloudDelivery) =>
    webhook.filter === undefined ||
    (await createEventSight(
      store,
      webhook.owner,
      webhook.filter,
      departures,
    )(delivery.type, delivery.subject))
  return replaceVerbs(store, {
    async claimWebhookDeliveries(claim, signal) {
      for (;;) {
        const due = await store.claimWebhookDeliveries(claim, signal)
        const wanted = await Promise.all(due.map(isFor))
        const others = due.filter((_, index) => !wanted[index])
        if (others.length > 0)
          await store.removeDeliveries(
            others.map(({ delivery }) => delivery),
            signal,
          )
        if (others.length < due.length || due.length === 0) return due.filter((_, index) => wanted[index])
      }
    },
  })
}

type OnlineEvent = { readonly deviceId: string; readonly userId: string; readonly at: string }
type ShareEvent = { readonly userId: string; readonly share: number; readonly at: string }

const toOnline = ({ deviceId, userId: owner, at }: OnlineEvent) => toOnlineEvent({ deviceId, owner, at })

/** Events that the store adds by itself. */
const stored: ReadonlySet<string> = new Set([
  'device:registered',
  'device:offline',
  'device:deleted',
  'search:settled',
  'group:settled',
  'upload:settled',
])
