import * as z from 'zod/mini'
import { allowances, tokenScopes } from '../operation.ts'
import { CustomId, orAbsent, shortText, PlatformId, Slug, Timestamp } from './values.ts'
import { TimestampParameter } from '../device-cloud/list-query.ts'

/** A permission of an access token. */
export const TokenScope = z.enum(tokenScopes)

/** Most agents that a token names. */
const maxAgents = 100

const scopes = z.array(TokenScope).check(z.minLength(1), z.maxLength(tokenScopes.length))
/** Request fields that a user's token may set. */
export const Allowance = z.enum(allowances)

const allow = z.array(Allowance).check(z.maxLength(allowances.length))
const agents = z.array(Slug).check(z.minLength(1), z.maxLength(maxAgents))

/** An access token as administrators see it, without the secret. */
export const AccessToken = z.object({
  id: PlatformId,
  name: z.string(),
  /** Permissions of the token: `read`, `run`, `approve`, `admin`. */
  scopes,
  /** Agents whose runs, tasks, approvals and conversations the token can access. Absent: all agents. */
  agents: z.optional(agents),
  /** User of the token, which can access only data of this user. Absent: all users. */
  user_id: z.optional(PlatformId),
  /** Request fields that a token with a `user_id` may set. Absent: none. */
  allow: z.optional(allow),
  /** Time from which the token is rejected. Absent if the token does not expire. */
  expires_at: z.optional(Timestamp),
  created_at: Timestamp,
  /** Time of the last use, rounded to the hour. Absent if the token was never used. */
  last_used_at: z.optional(Timestamp),
})
export type AccessToken = z.infer<typeof AccessToken>

/** Fields of a new access token. */
export const NewAccessToken = z
  .object({
    /** Name of the token. The audit log shows it as `token:<name>`. */
    name: shortText(100),
    scopes,
    /**
     * Agents that the token can access. Not allowed with the scope `admin`, which covers everything.
     *
     * @default all agents
     */
    agents: z.optional(agents),
    /**
     * Limits the token to one user: it starts runs, tasks and memories of this user, and reads no data of others. Not
     * allowed with the scope `admin`.
     *
     * @default a token for all users
     */
    user_id: orAbsent(CustomId),
    /**
     * Request fields that a token with a `user_id` may set: `metadata`, `messages`, `model_settings`, `budget`.
     *
     * @default no fields
     */
    allow: orAbsent(allow),
    /**
     * Must be in the future, and not later than the expiry of the token that creates this one.
     *
     * @default the expiry of the creating token, if it has one
     */
    expires_at: z.optional(TimestampParameter),
    /**
     * Makes retries safe: requests with the same key create one token.
     *
     * The secret is returned again until the token is used, for at most a day. The same key with a different request
     * is a conflict.
     */
    idempotency_key: orAbsent(CustomId),
  })
  .check(
    z.refine((token) => token.agents === undefined || !token.scopes.includes('admin'), {
      error: 'must be absent if "scopes" has "admin", which reaches every agent',
      path: ['agents'],
    }),
    z.refine((token) => token.user_id === undefined || !token.scopes.includes('admin'), {
      error: 'must be absent if "scopes" has "admin", which reaches every user',
      path: ['user_id'],
    }),
    z.refine((token) => token.allow === undefined || token.user_id !== undefined, {
      error: 'needs "user_id": a token for all users may set every field',
      path: ['allow'],
    }),
  )
export type NewAccessToken = z.infer<typeof NewAccessToken>
