import type { BodyOf, ReplyOf } from '@homeward/contract'
import type { DeviceCloudOperations } from '@homeward/contract/device-cloud'
import { HttpError, validationError } from '@homeward/contract/handler'
import { createWebhookSecret, type StoredWebhook } from '@homeward/kit/webhooks'
import { toTimestamp } from '../context/time.ts'
import type { UserCall } from '../context/cloud-context.ts'
import { encrypt, decrypt } from '@homeward/kit'
import { repeatedReply, toOnce } from '../idempotency/once.ts'
import type { WebhookContext } from './create-cloud-webhooks.ts'
import { sealSecret } from './secrets.ts'
import { toWebhook } from './to-webhook.ts'

type NewWebhook = BodyOf<DeviceCloudOperations['createWebhook']>
type Reply = ReplyOf<DeviceCloudOperations['createWebhook']>

const maxWebhooks = 20

/** Creates a webhook and gives its secret, once. */
export function createWebhookCreation(context: WebhookContext) {
  const { store, now, createId, audit, randomBytes, keySecret, webhooks } = context
  return async (call: UserCall, body: NewWebhook): Promise<Reply> => {
    await checkUrl(context, body.url)
    const { userId, actor, idempotencyKey } = call
    const nowMs = now()
    const secret = body.secret ?? createWebhookSecret(randomBytes)
    const createdAt = toTimestamp(nowMs)
    const webhook: StoredWebhook = {
      id: createId(),
      owner: userId,
      url: body.url,
      events: [...new Set(body.events)],
      enabled: true,
      disabledReason: null,
      secret: await sealSecret(secret, keySecret),
      createdAt,
      updatedAt: createdAt,
      failingSince: null,
    }
    const reply = { webhook: toWebhook(webhook), secret }
    // The reply holds the secret: it is stored under the idempotency key, which only the caller has.
    const sealed = idempotencyKey ? await encrypt(JSON.stringify(reply), idempotencyKey) : ''
    const scope = JSON.stringify([userId, actor ?? null, 'createWebhook'])
    const once = toOnce(idempotencyKey, { scope, request: body, reply: sealed, nowMs })
    const entries = [audit.entryOf(call, 'webhook:created', subjectOf(webhook))]
    const outcome = await store.insertWebhook(webhook, maxWebhooks, once, entries)
    if (outcome.kind === 'too_many') throw tooManyWebhooks()
    const repeated = repeatedReply(outcome, once)
    if (repeated !== undefined) return JSON.parse((await decrypt(repeated, idempotencyKey!))!) as Reply // written above
    audit.tell(entries)
    webhooks?.courier.wake()
    return reply
  }
}

/** @throws {HttpError} 400 for an address that webhooks may not be sent to. */
export async function checkUrl({ webhooks }: Pick<WebhookContext, 'webhooks'>, url: string): Promise<void> {
  if (webhooks === undefined) throw sendsNone()
  const refusal = await webhooks.sender.check(new URL(url))
  if (refusal !== undefined) throw validationError(`url: ${refusal}`)
}

/** The audit names the host: the rest of an address may be a secret. */
export function subjectOf({ id, url }: Pick<StoredWebhook, 'id' | 'url'>) {
  return { subjectId: id, name: new URL(url).host }
}

const tooManyWebhooks = () =>
  new HttpError(409, {
    error: 'Conflict',
    message: `Creating the webhook failed: a user can have at most ${maxWebhooks} webhooks. Delete one that you no longer use.`,
  })

/** 409 where the cloud sends no webhooks. */
export const sendsNone = () =>
  new HttpError(409, {
    error: 'Conflict',
    message:
      'Creating the webhook failed: this server does not send webhooks. Pass the option "webhooks" when you create the cloud.',
  })
