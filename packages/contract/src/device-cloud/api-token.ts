import * as z from 'zod/mini'
import { grants } from '../operation.ts'
import { DeviceAccess, DeviceFilterView } from './device-filter.ts'
import { TimestampParameter } from './list-query.ts'
import { Id, boundedString, Timestamp } from './text.ts'

/** What a session or an API token may do. */
export const Grant = z.enum(grants)

const may = z.array(Grant).check(z.minLength(1), z.maxLength(grants.length))

/** An API token as its owner sees it: never its secret. */
export const ApiToken = z.object({
  id: Id,
  name: z.string(),
  /** What it may do: `read`, `search`, `fetch`, `manage`, `audit`. */
  may,
  /** The only devices that it reaches. Absent if it reaches all. */
  filter: z.optional(DeviceFilterView),
  /** Part of the secret to recognize it by, which is not enough to use it. */
  hint: z.string(),
  createdAt: Timestamp,
  /** Who created the token, if not the owner: a colleague or another token. */
  createdBy: z.optional(z.string()),
  /** From then on, the token is rejected. Absent if it does not expire. */
  expiresAt: z.optional(Timestamp),
  /** When it was last used, to the hour. Absent if it was never used. */
  lastUsedAt: z.optional(Timestamp),
})
export type ApiToken = z.infer<typeof ApiToken>

/** What a new API token takes. */
export const NewApiToken = z.object({
  /** Name of the token. The audit shows it as `token:<name>`. */
  name: boundedString(100),
  may,
  /**
   * The only devices that it reaches: all others, and what was asked of them, do not exist for it. It cannot register or
   * approve devices. @default all devices; if another token creates it, those of that one
   */
  filter: z.optional(DeviceAccess),
  /** In the future. @default the token does not expire; if another token creates it, it expires with that one */
  expiresAt: z.optional(TimestampParameter),
})
export type NewApiToken = z.infer<typeof NewApiToken>
