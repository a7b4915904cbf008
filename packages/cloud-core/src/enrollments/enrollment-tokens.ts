import type { ReplyOf } from '@homeward/contract'
import type { DeviceCloudOperations, NewEnrollmentToken } from '@homeward/contract/device-cloud'
import { HttpError, validationError } from '@homeward/contract/handler'
import { lastMs, toTimestamp } from '../context/time.ts'
import type { UserCall } from '../context/cloud-context.ts'
import type { EnrollmentContext } from './enrollment-context.ts'
import { createApiKey, hashText } from '../keys/api-key.ts'
import { readSecretReply, repeatedReply, toSecretOnce } from '../idempotency/once.ts'
import type { StoredEnrollmentToken } from '../ports/enrollment-store.ts'
import { maxTokens, revokedMs } from './enrollment-limits.ts'
import { toEnrollmentToken } from './to-enrollment.ts'

type Reply<Id extends keyof DeviceCloudOperations> = ReplyOf<DeviceCloudOperations[Id]>

/** What the secrets of enrollment tokens start with: `hwe_`. */
export const tokenPrefix = 'hwe'

/** What users do with the tokens that let their devices in (C28). */
export function createEnrollmentTokens(context: EnrollmentContext) {
  const { store, audit, now, createId, randomBytes } = context

  function toToken(call: UserCall, asked: NewEnrollmentToken, secret: string): StoredEnrollmentToken {
    const { label, maxDevices = null, labels, approval } = asked
    const expiresAt = toExpiry(asked.expiresAt, now())
    return {
      id: createId(),
      owner: call.userId,
      secretHash: hashText(secret),
      label,
      maxDevices,
      expiresAt,
      labels: [...new Set(labels)],
      approval,
      used: 0,
      lastUsedAt: null,
      lastDeviceId: null,
      createdAt: toTimestamp(now()),
      revokedAt: null,
    }
  }

  /** The first answer of a repeated creation. It holds the secret, so that giving it is an act of its own. */
  async function repeat(call: UserCall, sealed: string): Promise<Reply<'createEnrollmentToken'>> {
    const reply = await readSecretReply<Reply<'createEnrollmentToken'>>(sealed, call)
    const { id, label } = reply.token
    await audit.record([audit.entryOf(call, 'key:revealed', { subjectId: id, name: label })])
    return reply
  }

  async function revoke(call: UserCall, id: string): Promise<Reply<'revokeEnrollmentToken'>> {
    const entries = [audit.entryOf(call, 'enrollment-token:revoked', { subjectId: id })]
    const revocation = { owner: call.userId, id, now: toTimestamp(now()) }
    if (!(await store.revokeEnrollmentToken(revocation, entries)))
      throw new HttpError(404, { error: 'Enrollment token not found' })
    audit.tell(entries)
    return { success: true }
  }

  return {
    /** Creates a token and gives its secret, once. A repeat under the same idempotency key gives the same. */
    async createEnrollmentToken(
      call: UserCall,
      asked: NewEnrollmentToken,
    ): Promise<Reply<'createEnrollmentToken'>> {
      const { userId, idempotencyKey } = call
      const nowMs = now()
      const secret = createApiKey(tokenPrefix, randomBytes)
      const token = toToken(call, asked, secret)
      const reply = { token: toEnrollmentToken(token), secret }
      const scope = [userId, 'createEnrollmentToken']
      const once = await toSecretOnce(idempotencyKey, { scope, request: asked, reply, nowMs })
      const { id: subjectId, label: name } = token
      const entries = [audit.entryOf(call, 'enrollment-token:created', { subjectId, name })]
      const limits = { maxTokens, revokedBefore: toTimestamp(nowMs - revokedMs) }
      const outcome = await store.insertEnrollmentToken(token, limits, once, entries)
      if (outcome.kind === 'full') throw tooManyTokens()
      const repeated = repeatedReply(outcome, once)
      if (repeated !== undefined) return repeat(call, repeated)
      audit.tell(entries)
      return reply
    },

    /** Lists a user's tokens that are not revoked, newest first. */
    async listEnrollmentTokens(call: UserCall): Promise<Reply<'listEnrollmentTokens'>> {
      return { tokens: (await store.listEnrollmentTokens(call.userId, maxTokens)).map(toEnrollmentToken) }
    },

    /** Revokes a token. Devices that it admitted stay. */
    revokeEnrollmentToken: revoke,
  }
}

function toExpiry(moment: string | undefined, nowMs: number): string | null {
  if (moment === undefined) return null
  const ms = Math.min(Date.parse(moment), lastMs)
  if (ms <= nowMs) throw validationError('expiresAt: must be in the future')
  return toTimestamp(ms)
}

const tooManyTokens = () =>
  new HttpError(409, {
    error: 'Conflict',
    message: `Creating the enrollment token failed: a user can have at most ${maxTokens} enrollment tokens. Revoke one that you no longer need.`,
  })
