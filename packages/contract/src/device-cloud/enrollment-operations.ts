import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { Device } from './device.ts'
import { DeviceLabels } from './device-label.ts'
import { Enrollment, EnrollmentPreview, EnrollmentRequest, StartedEnrollment } from './enrollment.ts'
import { EnrollmentToken, NewEnrollmentToken } from './enrollment-token.ts'
import { idempotencyKey, preferWait } from './request-headers.ts'
import { Id, deviceName } from './text.ts'

const byEnrollmentId = z.object({ id: Id })

/** Operations for devices that are not registered yet. */
export const enrollingOperations = {
  enrollDevice: {
    method: 'POST',
    path: '/api/devices/enrollments',
    auth: 'public',
    summary:
      'Asks to enroll a device by the hash of its key. A retry with the same hash gets the same enrollment.',
    source: 'C28',
    body: EnrollmentRequest,
    status: 201,
    pendingStatus: 202,
    reply: z.object({ enrollment: StartedEnrollment }),
    errors: [403, 409, 429, 503],
  },
  readEnrollment: {
    method: 'GET',
    path: '/api/devices/enrollments/{id}',
    auth: 'enrolling',
    summary: 'Returns the state of an enrollment to the device.',
    source: 'C22, C28',
    params: byEnrollmentId,
    headers: [preferWait],
    reply: z.object({ enrollment: Enrollment }),
  },
} as const satisfies Record<string, Operation>

/** Operations for users who approve devices. */
export const enrollmentOperations = {
  findEnrollment: {
    method: 'GET',
    path: '/api/devices/enrollments',
    auth: 'session',
    needs: 'manage',
    summary: 'Finds the device that waits with a code, so that a user can check it.',
    source: 'C28',
    query: z.strictObject({
      /** The code that the device shows. Case and hyphens do not matter. */
      code: z.string().check(z.minLength(1), z.maxLength(64)),
    }),
    reply: z.object({ enrollment: EnrollmentPreview }),
    errors: [404, 429],
  },
  approveEnrollment: {
    method: 'POST',
    path: '/api/devices/enrollments/{id}/approve',
    auth: 'session',
    needs: 'manage',
    audit: { action: 'enrollment:approved' },
    summary: 'Approves a device, which then belongs to the user. A retry gets the same response.',
    source: 'C28',
    params: byEnrollmentId,
    body: z.object({
      /** Replaces the name that the device sent. */
      name: z.optional(deviceName),
      /** Labels of the device, in addition to those of its token. */
      labels: z._default(DeviceLabels, []),
    }),
    optionalBody: true,
    reply: z.object({ enrollment: Enrollment, device: z.optional(Device) }),
    errors: [404, 409],
  },
  denyEnrollment: {
    method: 'POST',
    path: '/api/devices/enrollments/{id}/deny',
    auth: 'session',
    needs: 'manage',
    audit: { action: 'enrollment:denied' },
    summary: 'Denies a device. Its key stays denied.',
    source: 'C28',
    params: byEnrollmentId,
    reply: z.object({ enrollment: Enrollment }),
    errors: [404, 409],
  },
  createEnrollmentToken: {
    method: 'POST',
    path: '/api/devices/enrollment-tokens',
    auth: 'session',
    needs: 'manage',
    audit: { action: 'enrollment-token:created' },
    summary: 'Creates a token that enrolls devices, and returns its secret once.',
    source: 'C20, C28',
    body: NewEnrollmentToken,
    headers: [idempotencyKey],
    status: 201,
    reply: z.object({
      token: EnrollmentToken,
      /** Secret for devices: `hwe_` and 43 characters. */
      secret: z.string(),
    }),
    errors: [409],
  },
  listEnrollmentTokens: {
    method: 'GET',
    path: '/api/devices/enrollment-tokens',
    auth: 'session',
    needs: 'manage',
    summary: "Lists the user's enrollment tokens that are not revoked, newest first.",
    source: 'C28',
    reply: z.object({ tokens: z.array(EnrollmentToken) }),
  },
  revokeEnrollmentToken: {
    method: 'DELETE',
    path: '/api/devices/enrollment-tokens/{id}',
    auth: 'session',
    needs: 'manage',
    audit: { action: 'enrollment-token:revoked' },
    summary: 'Revokes an enrollment token. Devices that it admitted stay.',
    source: 'C28',
    params: byEnrollmentId,
    reply: z.object({ success: z.literal(true) }),
    errors: [404],
  },
} as const satisfies Record<string, Operation>
