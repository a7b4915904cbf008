import * as z from 'zod/mini'
import { DeviceLabel, DeviceLabels } from './device-label.ts'
import { TimestampParameter } from './list-query.ts'
import { Id, boundedString, Timestamp } from './text.ts'

/** Whether a token lets devices in by itself (`auto`), or a user still has to approve each of them (`ask`). */
export const EnrollmentApproval = z.enum(['auto', 'ask'])
export type EnrollmentApproval = z.infer<typeof EnrollmentApproval>

const maxDevices = z.int().check(z.gte(1), z.lte(1_000_000))

/** An enrollment token as its owner sees it: never its secret. */
export const EnrollmentToken = z.object({
  id: Id,
  label: z.string(),
  /** How many devices it ever admits. Absent: any number. */
  maxDevices: z.optional(maxDevices),
  /** From then on it admits nobody. Absent: it does not expire. */
  expiresAt: z.optional(Timestamp),
  /** Labels of the devices that it admits. */
  labels: z.array(DeviceLabel),
  approval: EnrollmentApproval,
  /** How many devices it has admitted. */
  used: z.int(),
  /** When it last admitted a device. */
  lastUsedAt: z.optional(Timestamp),
  /** The device that it admitted last. */
  lastDeviceId: z.optional(Id),
})
export type EnrollmentToken = z.infer<typeof EnrollmentToken>

/** What a new enrollment token takes. */
export const NewEnrollmentToken = z.object({
  /** Tells the token from others; shown to its owner only. */
  label: boundedString(200),
  maxDevices: z.optional(maxDevices),
  expiresAt: z.optional(TimestampParameter),
  labels: z._default(DeviceLabels, []),
  approval: EnrollmentApproval,
})
export type NewEnrollmentToken = z.infer<typeof NewEnrollmentToken>
