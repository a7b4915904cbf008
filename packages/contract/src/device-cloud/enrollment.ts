import * as z from 'zod/mini'
import { DeviceRegistration } from './device.ts'
import { DeviceMetadata } from './device-metadata.ts'
import { Id, Timestamp } from './text.ts'

/** How far an enrollment is. A device that is `approved` is registered, and its key works. */
export const EnrollmentStatus = z.enum(['pending', 'approved', 'denied', 'expired'])
export type EnrollmentStatus = z.infer<typeof EnrollmentStatus>

/** What a device sends to get in: who it is, and a hash of the key that it made. Never the key itself. */
export const EnrollmentRequest = z.extend(z.omit(DeviceRegistration, { labels: true }), {
  /** SHA-256 of the whole API key, as lowercase hex. */
  keyHash: z.string().check(z.regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 as 64 lowercase hex digits')),
  /** The last 4 characters of the API key, so that people can recognize it. */
  keyHint: z.string().check(z.regex(/^[\w-]{4}$/, 'must be the last 4 characters of the API key')),
  /** Enrollment token of a user, `hwe_…`. Without one, a user has to approve the device. */
  token: z.optional(z.string().check(z.minLength(1), z.maxLength(256))),
})
export type EnrollmentRequest = z.infer<typeof EnrollmentRequest>

/** How far an enrollment is, as its device is told. */
export const Enrollment = z.object({
  id: Id,
  status: EnrollmentStatus,
  /** The registered device, once it is approved. */
  deviceId: z.optional(Id),
})
export type Enrollment = z.infer<typeof Enrollment>

/** An enrollment as it begins. While it is pending it has a code that a user enters; no field is a secret of the device. */
export const StartedEnrollment = z.extend(Enrollment, {
  /** `XXXX-XXXX`, without `0 O 1 I L U`; a user may enter it in any case, with or without the dash. */
  userCode: z.optional(z.string()),
  /** Page on which a user enters the code. */
  verificationUri: z.optional(z.string()),
  /** The same page with the code filled in, for a link or a QR code. */
  verificationUriComplete: z.optional(z.string()),
  /** Seconds until the code expires. */
  expiresInSeconds: z.optional(z.int()),
  /** How many seconds to wait between two questions, without `Prefer: wait`. */
  intervalSeconds: z.optional(z.int()),
})
export type StartedEnrollment = z.infer<typeof StartedEnrollment>

/** A device that waits to be let in, as a user sees it before deciding. Everything but `address` is what the device says. */
export const EnrollmentPreview = z.object({
  id: Id,
  name: z.string(),
  type: z.string(),
  platform: z.string(),
  metadata: DeviceMetadata,
  /** Network address that the enrollment came from; null when the server does not know it. */
  address: z.nullable(z.string()),
  createdAt: Timestamp,
  expiresAt: Timestamp,
})
export type EnrollmentPreview = z.infer<typeof EnrollmentPreview>
