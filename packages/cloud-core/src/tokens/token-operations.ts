import { expiredTokenMs } from '@homeward/kit'
import type { Grant, BodyOf, ReplyOf } from '@homeward/contract'
import type { ApiToken, DeviceCloudOperations } from '@homeward/contract/device-cloud'
import { HttpError, validationError } from '@homeward/contract/handler'
import { lastMs, toTimestamp } from '../context/time.ts'
import type { UserCall } from '../context/cloud-context.ts'
import { narrow } from '../access/device-access.ts'
import { createApiKey, toStoredKey } from '../keys/api-key.ts'
import { readSecretReply, repeatedReply, toSecretOnce } from '../idempotency/once.ts'
import type { StoredToken } from '../ports/token-store.ts'
import { tokenPrefixOf, type TokenContext } from './authenticate-token.ts'

type Reply<Id extends keyof DeviceCloudOperations> = ReplyOf<DeviceCloudOperations[Id]>
type NewToken = BodyOf<DeviceCloudOperations['createToken']>

const maxTokens = 100

const tokenNotFound = () => new HttpError(404, { error: 'API token not found' })

/** What users do with API tokens (C30). */
export function createTokenOperations(context: TokenContext) {
  const { store, tokens, now, createId, audit, keyPrefix, randomBytes } = context

  async function create(call: UserCall, body: NewToken): Promise<Reply<'createToken'>> {
    const { userId, idempotencyKey, actor } = call
    const may = [...new Set(body.may)]
    const nowMs = now()
    checkGrants(call.may, may)
    const expiresAt = expiryOf(call, body.expiresAt, nowMs)
    const filter = call.access ? narrow(body.filter ?? {}, call.access) : body.filter
    const secret = createApiKey(tokenPrefixOf(keyPrefix), randomBytes)
    const { hash, hint } = await toStoredKey(secret, undefined)
    const token: StoredToken = {
      id: createId(),
      owner: userId,
      hash,
      hint,
      name: body.name,
      may,
      ...(filter && { filter }),
      createdAt: toTimestamp(nowMs),
      createdBy: actor ?? null,
      expiresAt,
      lastUsedAt: null,
    }
    const reply = { token: toApiToken(token), secret }
    const scope = [userId, actor ?? null, 'createToken']
    const once = await toSecretOnce(idempotencyKey, { scope, request: body, reply, nowMs })
    const entries = [audit.entryOf(call, 'token:created', { subjectId: token.id, name: token.name })]
    const limits = { maxTokens, expiredBefore: toTimestamp(nowMs - expiredTokenMs) }
    const outcome = await store.insertToken(token, limits, once, entries)
    if (outcome.kind === 'too_many') throw tooManyTokens()
    const repeated = repeatedReply(outcome, once)
    if (repeated !== undefined) return await readSecretReply<Reply<'createToken'>>(repeated, call)
    audit.tell(entries)
    return reply
  }

  async function remove(call: UserCall, id: string): Promise<Reply<'deleteToken'>> {
    const entries = [audit.entryOf(call, 'token:deleted', { subjectId: id })]
    const deleted = await store.deleteToken(call.userId, id, entries)
    if (deleted === undefined) throw tokenNotFound()
    tokens.forget([deleted.hash])
    audit.tell(entries.map((entry) => ({ ...entry, name: deleted.name })))
    return { success: true }
  }

  return {
    /** Creates an API token and gives its secret, once. A repeat under the same idempotency key gives the same secret. */
    createToken: create,

    /** Lists a user's API tokens, newest first. */
    async listTokens(call: UserCall): Promise<Reply<'listTokens'>> {
      return { tokens: (await store.listTokens(call.userId)).map(toApiToken) }
    },

    /** Revokes an API token: in this process at once, in others within 5 seconds. */
    deleteToken: remove,
  }
}

/** A caller gives away only what it has. @throws {HttpError} 403 that names what it lacks. */
function checkGrants(own: readonly Grant[] | undefined, wanted: readonly Grant[]): void {
  const lacking = own && wanted.filter((grant) => !own.includes(grant))
  if (!lacking || lacking.length === 0) return
  const names = lacking.map((grant) => `"${grant}"`).join(', ')
  throw new HttpError(403, {
    error: 'Forbidden',
    message: `Creating the API token failed: its creator lacks ${names}. Remove that from "may".`,
  })
}

/** When a new token expires: never later than the token that creates it. */
function expiryOf({ until }: UserCall, wanted: string | undefined, nowMs: number): string | null {
  if (wanted === undefined) return until ?? null
  const expiresMs = Math.min(Date.parse(wanted), lastMs)
  if (expiresMs <= nowMs) throw validationError('expiresAt: must be in the future')
  const expiresAt = toTimestamp(expiresMs)
  if (until === undefined || expiresAt <= until) return expiresAt
  throw new HttpError(403, {
    error: 'Forbidden',
    message: `Creating the API token failed: "expiresAt" must be at or before ${until}, when the token that creates it expires. Choose an earlier time.`,
  })
}

const tooManyTokens = () =>
  new HttpError(409, {
    error: 'Conflict',
    message: `Creating the API token failed: a user can have at most ${maxTokens} API tokens. Delete one that you no longer use.`,
  })

function toApiToken({
  id,
  name,
  may,
  filter,
  hint,
  createdAt,
  createdBy,
  expiresAt,
  lastUsedAt,
}: StoredToken): ApiToken {
  return {
    id,
    name,
    may: [...may],
    ...(filter && { filter }),
    hint,
    createdAt,
    ...(createdBy !== null && { createdBy }),
    ...(expiresAt !== null && { expiresAt }),
    ...(lastUsedAt !== null && { lastUsedAt }),
  }
}
