import { HttpError, validationError } from '@homeward/contract/handler'
import { decrypt, encrypt } from '@homeward/kit'
import { hashText } from '../keys/api-key.ts'
import type { CreateOutcome, IdempotencyRecord } from '../ports/idempotency-record.ts'
import type { QuotaStore } from '../ports/quota-store.ts'

const keepMs = 24 * 60 * 60 * 1000

/** The row that makes a creation safe to repeat, or undefined when the caller sent no `Idempotency-Key` (C20). */
export function toOnce(
  idempotencyKey: string | undefined,
  creation: { scope: string; request: unknown; reply: string; nowMs: number },
): IdempotencyRecord | undefined {
  if (idempotencyKey === undefined) return undefined
  if (idempotencyKey === '' || idempotencyKey.length > 255) {
    throw validationError('Idempotency-Key: must have 1 to 255 characters')
  }
  return {
    scope: creation.scope,
    keyHash: hashText(idempotencyKey),
    fingerprint: hashText(JSON.stringify(creation.request)),
    reply: creation.reply,
    createdAt: new Date(creation.nowMs).toISOString(),
    expiresAt: new Date(creation.nowMs + keepMs).toISOString(),
  }
}

/**
 * {@link toOnce} for a creation whose reply holds a secret. The reply is stored under the idempotency key, which only the
 * caller has.
 */
export async function toSecretOnce(
  idempotencyKey: string | undefined,
  creation: { scope: readonly unknown[]; request: unknown; reply: unknown; nowMs: number },
): Promise<IdempotencyRecord | undefined> {
  const reply = idempotencyKey ? await encrypt(JSON.stringify(creation.reply), idempotencyKey) : ''
  return toOnce(idempotencyKey, { ...creation, scope: JSON.stringify(creation.scope), reply })
}

/** The reply that {@link toSecretOnce} stored, for a repeat under the same key. */
export async function readSecretReply<Reply>(stored: string, { idempotencyKey }: SecretCall): Promise<Reply> {
  return JSON.parse((await decrypt(stored, idempotencyKey!))!) as Reply // as it was stored
}

interface SecretCall {
  readonly idempotencyKey?: string | undefined
}

/** The first request's reply when this one repeats it; throws 409 when it is another request under the same key. */
export function repeatedReply(
  outcome: CreateOutcome,
  once: IdempotencyRecord | undefined,
): string | undefined {
  if (outcome.kind === 'created') return undefined
  if (outcome.fingerprint === once?.fingerprint) return outcome.reply
  throw new HttpError(409, {
    error: 'Conflict',
    message: 'This Idempotency-Key was used for another request. Use a new key for each new request.',
  })
}

/**
 * The result of `work`; or, if it is rejected, the reply of the earlier request that this one repeats.
 *
 * @throws the rejection, if this request is the first one
 */
export async function orRepeat<Result>(
  store: Pick<QuotaStore, 'findCreation'>,
  once: IdempotencyRecord | undefined,
  work: Promise<Result>,
): Promise<Result | string> {
  try {
    return await work
  } catch (error) {
    const earlier = once && (await store.findCreation(once))
    const reply = earlier && repeatedReply(earlier, once)
    if (reply === undefined) throw error
    return reply
  }
}
