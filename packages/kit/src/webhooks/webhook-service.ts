import type { WebhookDispatcher } from './create-webhook-dispatcher.ts'
import { createWebhookSecret } from './sign-webhook.ts'
import type { WebhookSender } from './webhook-sender.ts'
import type { StoredDelivery, StoredWebhook, WebhookChanges } from './webhook-store.ts'

/** Maximum number of webhooks of an owner. */
export const maxWebhooks = 20
const listedDeliveries = 100
/** How long the attempt of a test has, in milliseconds, until another process may take it over. */
const testMs = 60_000

/** An action of a user on a webhook. */
export type WebhookAction = 'create' | 'get' | 'update' | 'delete' | 'test' | 'list deliveries'

/**
 * The reason for a failed action on a webhook.
 *
 * - `not_found`: the owner has no webhook with this id.
 * - `refused`: the address is not allowed, see `reason`.
 * - `too_many`: the owner has {@link maxWebhooks} webhooks.
 * - `busy`: several tests of the webhook are running.
 * - `not_sent`: the service has no sender.
 */
export interface WebhookProblem {
  readonly kind: 'not_found' | 'refused' | 'too_many' | 'busy' | 'not_sent'
  readonly action: WebhookAction
  readonly reason?: string
}

/** Audit entries of a change, stored in the same transaction. */
export interface WebhookAudit<Entries> {
  /** Returns the audit entries about a webhook. */
  entriesOf(webhook: Pick<StoredWebhook, 'id' | 'url'>): Entries
  /** Called after the change with its audit entries. */
  tell(entries: Entries): void
}

/** Store methods that the service needs. `Entries` are written in the same transaction as the change. */
export interface WebhookServiceStore<Entries> {
  /** Finds a webhook of an owner. */
  findWebhook(owner: string, id: string): Promise<StoredWebhook | undefined>
  /** Lists the webhooks of an owner, newest first. */
  listWebhooks(owner: string): Promise<readonly StoredWebhook[]>
  /** Changes a webhook, with its audit entries in the same write. @returns undefined if the webhook is missing */
  updateWebhook(
    owner: string,
    id: string,
    changes: WebhookChanges,
    now: string,
    entries?: Entries,
  ): Promise<StoredWebhook | undefined>
  /** Deletes a webhook with its deliveries. @returns undefined if the webhook is missing */
  deleteWebhook(owner: string, id: string, entries?: Entries): Promise<StoredWebhook | undefined>
  /** Lists the newest deliveries of a webhook, newest first. */
  listDeliveries(webhookId: string, limit: number): Promise<readonly StoredDelivery[]>
  /** Adds a delivery, for example of a test. */
  insertDelivery(delivery: StoredDelivery, entries?: Entries): Promise<void>
}

/** Options of {@link createWebhookService}. */
export interface WebhookServiceOptions<Entries> {
  /** Where webhooks and deliveries are stored. */
  readonly store: WebhookServiceStore<Entries>
  /** Checks addresses. Without a sender, webhooks can only be listed and deleted. */
  readonly sender: WebhookSender | undefined
  /** Sends the event `webhook.test`. Without it, webhooks cannot be tested. */
  readonly courier: WebhookDispatcher | undefined
  /** Returns the time in milliseconds since the epoch. */
  readonly now: () => number
  /** Creates the id of a webhook or delivery. */
  readonly createId: () => string
  /** Returns random bytes, for secrets. */
  readonly randomBytes: (size: number) => Uint8Array
  /** Converts a secret to its stored form. @default stored unchanged */
  readonly sealSecret?: (secret: string) => Promise<string>
  /** Returns the data of the event `webhook.test`. */
  readonly testData: (webhookId: string) => Readonly<Record<string, unknown>>
  /** Creates the error of a failed action. */
  readonly toError: (problem: WebhookProblem) => Error
}

/** A webhook to create. */
export interface WebhookInput {
  readonly url: string
  readonly events: readonly string[]
  readonly secret?: string | undefined
}

/** A new webhook with its secret, which is shown only once. */
export interface CreatedWebhook {
  readonly webhook: StoredWebhook
  readonly secret: string
}

/** Actions on webhooks, for any number of owners. */
export interface WebhookService<Entries> {
  /** Creates a webhook. @param insert stores it, and returns `too_many` if the owner has {@link maxWebhooks} */
  create<Result>(
    owner: string,
    input: WebhookInput,
    insert: (created: CreatedWebhook) => Promise<Result | 'too_many'>,
  ): Promise<Result>
  /** Lists the webhooks of an owner, newest first. */
  list(owner: string): Promise<readonly StoredWebhook[]>
  /** Gets a webhook. */
  get(owner: string, id: string): Promise<StoredWebhook>
  /** Changes a webhook, or enables a disabled one. */
  update(
    owner: string,
    id: string,
    changes: WebhookChanges,
    audit?: WebhookAudit<Entries>,
  ): Promise<StoredWebhook>
  /** Deletes a webhook with its deliveries. */
  delete(owner: string, id: string, audit?: WebhookAudit<Entries>): Promise<void>
  /** Sends an event `webhook.test` once and returns the outcome. */
  test(owner: string, id: string, audit?: WebhookAudit<Entries>): Promise<StoredDelivery>
  /** Returns the newest 100 deliveries of a webhook. */
  deliveries(owner: string, id: string): Promise<readonly StoredDelivery[]>
}

/**
 * Creates the webhook service for any number of owners: address checks, secrets, tests and lists. Rejects with the
 * errors of `toError`.
 *
 * @example
 * const service = createWebhookService({ store, sender, courier, now, createId, randomBytes, testData, toError })
 * const { webhook, secret } = await service.create('', input, (created) => store.insertWebhook(created.webhook, maxWebhooks))
 */
export function createWebhookService<Entries>(
  options: WebhookServiceOptions<Entries>,
): WebhookService<Entries> {
  const { store, sender, courier, now, createId, toError } = options
  const time = (ms = now()) => new Date(ms).toISOString()

  async function checkUrl(action: WebhookAction, url: string): Promise<void> {
    if (sender === undefined) throw toError({ kind: 'not_sent', action })
    const reason = await sender.check(new URL(url))
    if (reason !== undefined) throw toError({ kind: 'refused', action, reason })
  }

  async function find(action: WebhookAction, owner: string, id: string): Promise<StoredWebhook> {
    return found(action, await store.findWebhook(owner, id))
  }

  function found(action: WebhookAction, webhook: StoredWebhook | undefined): StoredWebhook {
    if (webhook === undefined) throw toError({ kind: 'not_found', action })
    return webhook
  }

  async function toNew(owner: string, { url, events, secret: given }: WebhookInput): Promise<CreatedWebhook> {
    await checkUrl('create', url)
    const secret = given ?? createWebhookSecret(options.randomBytes)
    const createdAt = time()
    const webhook: StoredWebhook = {
      id: createId(),
      owner,
      url,
      events: [...new Set(events)],
      enabled: true,
      disabledReason: null,
      secret: options.sealSecret ? await options.sealSecret(secret) : secret,
      createdAt,
      updatedAt: createdAt,
      failingSince: null,
    }
    return { webhook, secret }
  }

  async function attempt(
    dispatcher: WebhookDispatcher,
    webhook: StoredWebhook,
    audit?: WebhookAudit<Entries>,
  ): Promise<StoredDelivery> {
    const delivery = toTest(webhook, options.testData(webhook.id), createId(), now())
    const entries = audit?.entriesOf(webhook)
    await store.insertDelivery(delivery, entries)
    if (entries !== undefined) audit?.tell(entries)
    const { at, status, responseCode, error } = await dispatcher.attempt({ delivery, webhook })
    return { ...delivery, lastAttemptAt: at, nextAt: null, status, responseCode, error }
  }

  return {
    async create(owner, input, insert) {
      const result = await insert(await toNew(owner, input))
      if (result === 'too_many') throw toError({ kind: 'too_many', action: 'create' })
      courier?.wake()
      return result
    },
    list: (owner) => store.listWebhooks(owner),
    get: (owner, id) => find('get', owner, id),
    async update(owner, id, given, audit) {
      const { url, enabled, events } = given
      if (url !== undefined) await checkUrl('update', url)
      const entries = audit?.entriesOf({ id, url: url ?? (await find('update', owner, id)).url })
      const changes = { url, enabled, events: events && [...new Set(events)] }
      const webhook = found('update', await store.updateWebhook(owner, id, changes, time(), entries))
      if (entries !== undefined) audit?.tell(entries)
      courier?.wake()
      return webhook
    },
    async delete(owner, id, audit) {
      const entries = audit?.entriesOf(await find('delete', owner, id))
      found('delete', await store.deleteWebhook(owner, id, entries))
      if (entries !== undefined) audit?.tell(entries)
    },
    async test(owner, id, audit) {
      if (courier === undefined) throw toError({ kind: 'not_sent', action: 'test' })
      const webhook = await find('test', owner, id)
      const tested = courier.test(webhook.id, () => attempt(courier, webhook, audit))
      if (tested === undefined) throw toError({ kind: 'busy', action: 'test' })
      return await tested
    },
    async deliveries(owner, id) {
      await find('list deliveries', owner, id)
      return await store.listDeliveries(id, listedDeliveries)
    },
  }
}

function toTest(
  { id: webhookId }: StoredWebhook,
  data: StoredDelivery['data'],
  id: string,
  nowMs: number,
): StoredDelivery {
  return {
    id: `evt_webhook_test_${id}`,
    webhookId,
    type: 'webhook.test',
    subject: `test ${id}`,
    data,
    at: new Date(nowMs).toISOString(),
    status: 'pending',
    attempts: 1,
    nextAt: new Date(nowMs + testMs).toISOString(),
    lastAttemptAt: null,
    responseCode: null,
    error: null,
  }
}

/** Returns a webhook without its secret and without empty fields. */
export function toWebhookView(webhook: StoredWebhook) {
  const { id, url, events, enabled, disabledReason, failingSince, createdAt, updatedAt } = webhook
  return {
    id,
    url,
    events: [...events],
    enabled,
    ...(disabledReason !== null && { disabledReason }),
    ...(failingSince !== null && { failingSince }),
    createdAt,
    updatedAt,
  }
}

/** Returns a delivery without its body and without empty fields. */
export function toDeliveryView(delivery: StoredDelivery) {
  const { id, type, status, attempts, at, lastAttemptAt, nextAt, responseCode, error } = delivery
  return {
    id,
    type,
    status,
    attempts,
    createdAt: at,
    ...(lastAttemptAt !== null && { lastAttemptAt }),
    ...(nextAt !== null && nextAt !== '' && { nextAttemptAt: nextAt }),
    ...(responseCode !== null && { responseCode }),
    ...(error !== null && { error }),
  }
}
