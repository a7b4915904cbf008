import * as z from 'zod/mini'
import { grants } from '../operation.ts'
import { DeviceAccess, DeviceFilterView } from './device-filter.ts'
import { TimestampParameter } from './list-query.ts'
import { Id, boundedString, Timestamp } from './text.ts'

/** A permission of a session or an API token. */
export const Grant = z.enum(grants)

const may = z.array(Grant).check(z.minLength(1), z.maxLength(grants.length))

/** An API token as its owner sees it, without the secret. */
export const ApiToken = z.object({
  id: Id,
  name: z.string(),
  /** Permissions of the token: `read`, `search`, `fetch`, `manage`, `audit`. */
  may,
  /** Devices that the token can access. Absent for all devices. */
  filter: z.optional(DeviceFilterView),
  /** Last characters of the secret, to recognize the token by. */
  hint: z.string(),
  createdAt: Timestamp,
  /** Creator of the token, if not the owner: a colleague or another token. */
  createdBy: z.optional(z.string()),
  /** Time from which the token is rejected. Absent if the token does not expire. */
  expiresAt: z.optional(Timestamp),
  /** Time of the last use, rounded to the hour. Absent if the token was never used. */
  lastUsedAt: z.optional(Timestamp),
})
export type ApiToken = z.infer<typeof ApiToken>

/** Fields of a new API token. */
export const NewApiToken = z.object({
  /** Name of the token. The audit log shows it as `token:<name>`. */
  name: boundedString(100),
  may,
  /**
   * Devices that the token can access. To the token, other devices and their searches do not exist.
   *
   * A token with a filter cannot register or approve devices.
   *
   * @default all devices; if another token creates it, the devices of that token
   */
  filter: z.optional(DeviceAccess),
  /**
   * Must be in the future.
   *
   * @default the token does not expire; if another token creates it, it expires with that token
   */
  expiresAt: z.optional(TimestampParameter),
})
export type NewApiToken = z.infer<typeof NewApiToken>
