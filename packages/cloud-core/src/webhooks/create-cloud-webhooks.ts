import {
  type NewWebhookEvent,
  type WebhookDispatcher,
  createWebhookDispatcher,
  type WebhookSender,
} from '@homeward/kit/webhooks'
import { quietTimers } from '../context/time.ts'
import type { Timers } from '@homeward/kit'
import type { AuditLog } from '../audit/audit-log.ts'
import type { CloudContext } from '../context/cloud-context.ts'
import type { CloudStore } from '../ports/cloud-store.ts'
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
    store,
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
      else if (isUnstored(event)) void courier.add([toEndEvent(name, event, now())])
      else if (stored.has(name)) courier.nudge()
    },
  }
}

type OnlineEvent = { readonly deviceId: string; readonly userId: string; readonly at: string }
type ShareEvent = { readonly userId: string; readonly share: number; readonly at: string }

const toOnline = ({ deviceId, userId: owner, at }: OnlineEvent) => toOnlineEvent({ deviceId, owner, at })

/** Ends of work that no change of a row tells the store of, or that it does not take for one. */
interface UnstoredEnd extends Readonly<Record<string, string>> {
  readonly userId: string
  readonly outcome: 'expired' | 'removed' | 'canceled'
}

function isUnstored(event: object): event is UnstoredEnd {
  if (!('outcome' in event)) return false
  if ('groupId' in event) return event.outcome === 'canceled'
  return event.outcome === 'expired' || event.outcome === 'removed'
}

function toEndEvent(name: string, { userId: owner, ...data }: UnstoredEnd, nowMs: number): NewWebhookEvent {
  const type = name.replace(':', '.')
  const key = data['searchId'] ?? data['requestId'] ?? data['groupId'] ?? ''
  const id = `evt_${type.replace('.', '_')}_${key}`
  return { id, owner, type, subject: data['deviceId'] ?? key, data, at: new Date(nowMs).toISOString() }
}

/** Events that the store adds by itself. */
const stored: ReadonlySet<string> = new Set([
  'device:registered',
  'device:offline',
  'device:deleted',
  'search:settled',
  'group:settled',
  'upload:settled',
])
