import * as z from 'zod/mini'
import { allowances, tokenScopes } from '../operation.ts'
import { CustomId, orAbsent, shortText, PlatformId, Slug, Timestamp } from './values.ts'
import { TimestampParameter } from '../device-cloud/list-query.ts'

/** What an access token may do. */
export const TokenScope = z.enum(tokenScopes)

/** Most agents that a token names. */
const maxAgents = 100

const scopes = z.array(TokenScope).check(z.minLength(1), z.maxLength(tokenScopes.length))
/** Fields of requests that a token of a user may set. */
export const Allowance = z.enum(allowances)

const allow = z.array(Allowance).check(z.maxLength(allowances.length))
const agents = z.array(Slug).check(z.minLength(1), z.maxLength(maxAgents))

/** An access token as administrators see it: never its secret. */
export const AccessToken = z.object({
  id: PlatformId,
  name: z.string(),
  /** What it may do: `read`, `run`, `approve`, `admin`. */
  scopes,
  /** The only agents whose runs, tasks, approvals and conversations it reaches. Absent: all. */
  agents: z.optional(agents),
  /** The user that its caller is: it reaches only what belongs to this user. Absent: all users. */
  user_id: z.optional(PlatformId),
  /** Fields of requests that a token with a `user_id` may set. Absent: none of them. */
  allow: z.optional(allow),
  /** From then on, the token is rejected. Absent if it does not expire. */
  expires_at: z.optional(Timestamp),
  created_at: Timestamp,
  /** When it was last used, to the hour. Absent if it was never used. */
  last_used_at: z.optional(Timestamp),
})
export type AccessToken = z.infer<typeof AccessToken>

/** What a new access token takes. */
export const NewAccessToken = z
  .object({
    /** Name of the token. The audit shows it as `token:<name>`. */
    name: shortText(100),
    scopes,
    /** Not with the scope `admin`, which reaches everything. @default all agents */
    agents: z.optional(agents),
    /**
     * Makes it the token of one user: it starts runs, tasks and memories of this user, and reads nothing of others. Not with
     * the scope `admin`.
     *
     * @default a token for all users
     */
    user_id: orAbsent(CustomId),
    /**
     * Fields of requests that a token with a `user_id` may set: `metadata`, `messages`, `model_settings`, `budget`.
     *
     * @default none
     */
    allow: orAbsent(allow),
    /**
     * In the future, and not later than the token that creates it expires. @default when the token that creates it does, if
     * ever
     */
    expires_at: z.optional(TimestampParameter),
    /**
     * The same key creates one token, however often it is sent, and gives its secret again until the token is used, for a day
     * at most. With anything else in the request, it is a conflict.
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
