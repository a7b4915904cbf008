import type { BodyOf, QueryOf, ReplyOf } from '@homeward/contract'
import type { DeviceCloudOperations } from '@homeward/contract/device-cloud'
import { HttpError } from '@homeward/contract/handler'
import { toTimestamp } from '../context/time.ts'
import type { UserCall } from '../context/cloud-context.ts'
import type { EnrollmentContext } from './enrollment-context.ts'
import { toDevice } from '../devices/presence.ts'
import type { DecisionOutcome, StoredEnrollment } from '../ports/enrollment-store.ts'
import { announceAdmission, isConflict, keyInUse } from './enroll-device.ts'
import { deniedMs } from './enrollment-limits.ts'
import { toEnrollment, toRefusal } from './to-enrollment.ts'

type Reply<Id extends keyof DeviceCloudOperations> = ReplyOf<DeviceCloudOperations[Id]>
type Approval = BodyOf<DeviceCloudOperations['approveEnrollment']>

const enrollmentNotFound = () => new HttpError(404, { error: 'Enrollment not found' })

/** How users decide about devices that wait to be let in (C28). */
export function createEnrollmentDecisions(context: EnrollmentContext) {
  const { store, strangers, userCodes, audit, polls, now, createId } = context

  async function approve(call: UserCall, id: string, asked: Approval): Promise<Reply<'approveEnrollment'>> {
    const deviceId = createId()
    const name = asked.name ?? (await store.findEnrollment(id))?.name
    const subject = { deviceId, subjectId: id, ...(name !== undefined && { name }) }
    const entries = [audit.entryOf(call, 'enrollment:approved', subject)]
    const at = toTimestamp(now())
    const { userId } = call
    const approval = { id, owner: userId, deviceId, ...asked, now: at }
    if (typeof (await store.findEnrollment(id))?.deviceId !== 'string')
      await context.quotas.assertRoom(userId, 'devices', 'Approving the enrollment')
    const outcome = await store.approveEnrollment(toExact(approval), entries).catch((error: unknown) => {
      throw isConflict(error) ? keyInUse() : error
    })
    const enrollment = toDecided(outcome, 'approved')
    if (!('again' in outcome)) {
      announceAdmission(context, { keyHash: enrollment.key.hash, enrollmentId: id, deviceId, userId })
      audit.tell(entries)
    }
    const device = await store.findDevice(userId, enrollment.deviceId!)
    return {
      enrollment: toEnrollment(enrollment, at),
      ...(device && {
        device: toDevice(context.heartbeats.readThrough(device), now(), context.onlineWindowMs),
      }),
    }
  }

  async function deny(call: UserCall, id: string): Promise<Reply<'denyEnrollment'>> {
    const nowMs = now()
    const name = (await store.findEnrollment(id))?.name
    const subject = { subjectId: id, ...(name !== undefined && { name }) }
    const entries = [audit.entryOf(call, 'enrollment:denied', subject)]
    const times = { now: toTimestamp(nowMs), purgeAt: toTimestamp(nowMs + deniedMs) }
    const outcome = await store.denyEnrollment({ id, owner: call.userId, ...times }, entries)
    const enrollment = toDecided(outcome, 'denied')
    if (!('again' in outcome)) {
      polls.announce([id])
      audit.tell(entries)
    }
    return { enrollment: toEnrollment(enrollment, times.now) }
  }

  return {
    /** Finds the device that waits under a code. Wrong codes are limited by the caller's address. */
    async findEnrollment(
      call: UserCall,
      { code }: QueryOf<DeviceCloudOperations['findEnrollment']>,
    ): Promise<Reply<'findEnrollment'>> {
      const nowMs = now()
      const caller = call.address ?? call.userId
      strangers.assertMayAsk(caller, undefined, nowMs)
      const hash = await userCodes.hash(code)
      const found =
        hash === undefined ? undefined : await store.findEnrollmentByCode(hash, toTimestamp(nowMs))
      // Of a device that came with another user's token, only that user decides (C20).
      if (found === undefined || (found.owner !== null && found.owner !== call.userId)) {
        strangers.count(caller, nowMs)
        throw enrollmentNotFound()
      }
      const { id, name, type, platform, metadata, address, createdAt, expiresAt } = found
      return { enrollment: { id, name, type, platform, metadata, address, createdAt, expiresAt } }
    },

    /** Registers a waiting device for a user. Approving it again gives the same. */
    approveEnrollment: approve,

    /** Refuses a waiting device. Denying it again gives the same. */
    denyEnrollment: deny,
  }
}

/** A name that is not given is left out. */
function toExact<Given extends { name?: string | undefined }>({ name, ...rest }: Given) {
  return { ...rest, ...(name !== undefined && { name }) }
}

/** @throws {HttpError} when an enrollment is not what the user wanted to make of it. */
function toDecided(outcome: DecisionOutcome, wanted: 'approved' | 'denied'): StoredEnrollment {
  if (outcome.kind === wanted) return outcome.enrollment
  if (outcome.kind === 'unknown') throw enrollmentNotFound()
  const what = wanted === 'approved' ? 'Approving' : 'Denying'
  const fail = (fact: string) => `${what} the enrollment failed: ${fact}`
  const message =
    outcome.kind === 'refused'
      ? toRefusal(outcome.reason)
      : outcome.kind === 'expired'
        ? fail('it has expired. Start the enrollment again on the device.')
        : fail(`it was already ${outcome.kind}. Enroll the device again.`)
  throw new HttpError(409, { error: 'Conflict', message })
}
