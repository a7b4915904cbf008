import * as z from 'zod/mini'
import { DeviceLabel, DeviceLabels } from './device-label.ts'
import { TimestampParameter } from './list-query.ts'
import { Id, boundedString, Timestamp } from './text.ts'

/** Admission of devices by a token: automatically (`auto`), or after a user approves each one (`ask`). */
export const EnrollmentApproval = z.enum(['auto', 'ask'])
export type EnrollmentApproval = z.infer<typeof EnrollmentApproval>

const maxDevices = z.int().check(z.gte(1), z.lte(1_000_000))

/** An enrollment token as its owner sees it, without the secret. */
export const EnrollmentToken = z.object({
  id: Id,
  label: z.string(),
  /** Maximum number of devices that the token admits. Absent for no limit. */
  maxDevices: z.optional(maxDevices),
  /** Time from which the token admits no devices. Absent if the token does not expire. */
  expiresAt: z.optional(Timestamp),
  /** Labels of the devices that the token admits. */
  labels: z.array(DeviceLabel),
  approval: EnrollmentApproval,
  /** Number of devices that the token has admitted. */
  used: z.int(),
  /** Time at which the token last admitted a device. */
  lastUsedAt: z.optional(Timestamp),
  /** Id of the last admitted device. */
  lastDeviceId: z.optional(Id),
})
export type EnrollmentToken = z.infer<typeof EnrollmentToken>

/** Fields of a new enrollment token. */
export const NewEnrollmentToken = z.object({
  /** Name of the token, visible only to its owner. */
  label: boundedString(200),
  maxDevices: z.optional(maxDevices),
  expiresAt: z.optional(TimestampParameter),
  labels: z._default(DeviceLabels, []),
  approval: EnrollmentApproval,
})
export type NewEnrollmentToken = z.infer<typeof NewEnrollmentToken>
