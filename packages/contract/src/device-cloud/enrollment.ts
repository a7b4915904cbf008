import * as z from 'zod/mini'
import { DeviceRegistration } from './device.ts'
import { DeviceMetadata } from './device-metadata.ts'
import { Id, Timestamp } from './text.ts'

/** Status of an enrollment. A device that is `approved` is registered, and its key works. */
export const EnrollmentStatus = z.enum(['pending', 'approved', 'denied', 'expired'])
export type EnrollmentStatus = z.infer<typeof EnrollmentStatus>

/** Enrollment request of a device: its name and type, and a hash of the key that it created. Never the key itself. */
export const EnrollmentRequest = z.extend(z.omit(DeviceRegistration, { labels: true }), {
  /** SHA-256 of the whole API key in lowercase hex. */
  keyHash: z.string().check(z.regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 as 64 lowercase hex digits')),
  /** The last 4 characters of the API key, so that people can recognize it. */
  keyHint: z.string().check(z.regex(/^[\w-]{4}$/, 'must be the last 4 characters of the API key')),
  /** Enrollment token of a user, `hwe_…`. Without a token, a user has to approve the device. */
  token: z.optional(z.string().check(z.minLength(1), z.maxLength(256))),
})
export type EnrollmentRequest = z.infer<typeof EnrollmentRequest>

/** Status of an enrollment, as its device receives it. */
export const Enrollment = z.object({
  id: Id,
  status: EnrollmentStatus,
  /** Id of the registered device, once approved. */
  deviceId: z.optional(Id),
})
export type Enrollment = z.infer<typeof Enrollment>

/** A new enrollment. While pending, it has a code for a user to enter. Contains no secret of the device. */
export const StartedEnrollment = z.extend(Enrollment, {
  /** Code such as `XXXX-XXXX`, without `0 O 1 I L U`. Users may enter it in any case, with or without the hyphen. */
  userCode: z.optional(z.string()),
  /** Page where a user enters the code. */
  verificationUri: z.optional(z.string()),
  /** The same page with the code filled in, for a link or a QR code. */
  verificationUriComplete: z.optional(z.string()),
  /** Seconds until the code expires. */
  expiresInSeconds: z.optional(z.int()),
  /** Minimum number of seconds between two status requests without `Prefer: wait`. */
  intervalSeconds: z.optional(z.int()),
})
export type StartedEnrollment = z.infer<typeof StartedEnrollment>

/**
 * A device that waits for approval, as a user sees it before deciding. The device itself supplied every field except
 * `address`.
 */
export const EnrollmentPreview = z.object({
  id: Id,
  name: z.string(),
  type: z.string(),
  platform: z.string(),
  metadata: DeviceMetadata,
  /** Network address of the enrollment request; null if the server does not know it. */
  address: z.nullable(z.string()),
  createdAt: Timestamp,
  expiresAt: Timestamp,
})
export type EnrollmentPreview = z.infer<typeof EnrollmentPreview>
