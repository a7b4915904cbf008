import { toBase64Url } from '@homeward/kit'
import type { ReplyOf } from '@homeward/contract'
import type { DeviceCloudOperations, EnrollmentRequest } from '@homeward/contract/device-cloud'
import { HttpError, rateLimited, type RequestView } from '@homeward/contract/handler'
import { toTimestamp } from '../context/time.ts'
import type { EnrollmentContext } from './enrollment-context.ts'
import { hashText, isApiKey } from '../keys/api-key.ts'
import { checkMetadata } from '../devices/device-operations.ts'
import { CloudStoreError } from '../ports/cloud-store-error.ts'
import type { EnrollOutcome, StoredEnrollment, StoredEnrollmentToken } from '../ports/enrollment-store.ts'
import { type EnrollingDevice, invalidEnrollmentKey } from './authenticate-enrolling.ts'
import { expiredMs, intervalSeconds, maxPending, pendingMs } from './enrollment-limits.ts'
import { isExpired, toEnrollment, tokenRefused } from './to-enrollment.ts'
import { tokenPrefix } from './enrollment-tokens.ts'

type Reply<Id extends keyof DeviceCloudOperations> = ReplyOf<DeviceCloudOperations[Id]>

/** A code is in use already once in very many years; then the next moment has another one. */
const mostTries = 3

/** What a device calls before it is registered (C28). */
export function createEnrollmentCalls(context: EnrollmentContext) {
  const { store, polls, keys, strangers, now, clientAddress } = context
  const { findToken, insert } = createEnrolling(context)

  async function toStarted(
    enrollment: StoredEnrollment,
    origin: string,
    nowMs: number,
  ): Promise<Reply<'enrollDevice'>> {
    const shown = toEnrollment(enrollment, toTimestamp(nowMs))
    if (shown.status !== 'pending') return { enrollment: shown }
    const userCode = await context.userCodes.of(enrollment.key.hash, enrollment.createdAt)
    const verificationUri = context.pairingUrl ?? `${origin}/pair`
    const leftMs = Date.parse(enrollment.expiresAt) - nowMs
    return {
      enrollment: {
        ...shown,
        userCode,
        verificationUri,
        verificationUriComplete: `${verificationUri}?code=${userCode}`,
        expiresInSeconds: Math.ceil(leftMs / 1000),
        intervalSeconds,
      },
    }
  }

  return {
    /** Asks to let a device in. A repeat gets the enrollment that there is. */
    async enrollDevice(
      asked: EnrollmentRequest,
      request: RequestView,
      origin: string,
    ): Promise<Reply<'enrollDevice'>> {
      checkMetadata(asked.metadata)
      const nowMs = now()
      const address = clientAddress(request)
      const keyHash = toBase64Url(fromHex(asked.keyHash))
      const tokenHash = toTokenHash(asked.token)
      strangers.assertMayAsk(address, tokenHash ?? keyHash, nowMs)
      const known = await store.findEnrollmentByKey(keyHash)
      const isNew = known === undefined || isExpired(known, toTimestamp(nowMs))
      if (!isNew && (asked.token === undefined || known.status !== 'pending')) {
        strangers.noteRight(keyHash)
        return toStarted(known, origin, nowMs)
      }
      const token = asked.token === undefined ? undefined : await findToken(tokenHash, address, nowMs)
      if (isNew && token?.approval === 'auto')
        await context.quotas.assertRoom(token.owner, 'devices', 'Enrolling the device')
      if (isNew && token?.approval !== 'auto') await assertRoom(context, token?.owner ?? null, nowMs)
      if (isNew && token === undefined) strangers.count(address, nowMs)
      const noted = request.remoteAddress === undefined ? null : address
      const enrollment = await insert(asked, { keyHash, token, known, address: noted }, nowMs)
      strangers.noteRight(keyHash)
      return toStarted(enrollment, origin, nowMs)
    },

    /** Tells a device how far its enrollment is; held while nobody has decided, if it may be (C22). */
    async readEnrollment(
      { keyHash }: EnrollingDevice,
      id: string,
      request: RequestView,
      waitSeconds: number | undefined,
    ): Promise<Reply<'readEnrollment'>> {
      const address = clientAddress(request)
      const read = async () => {
        const found = await store.findEnrollment(id)
        if (found === undefined || found.key.hash !== keyHash) {
          strangers.count(address, now())
          throw invalidEnrollmentKey()
        }
        strangers.noteRight(keyHash)
        const enrollment = toEnrollment(found, toTimestamp(now()))
        // The device comes with its key next: no other caller's failures may stand in its way.
        if (enrollment.status === 'approved') keys.remember(keyHash)
        return enrollment
      }
      strangers.assertMayAsk(address, keyHash, now())
      const first = await read()
      if (first.status !== 'pending' || !waitSeconds) return { enrollment: first }
      const [decided] = await polls.hold(id, waitSeconds * 1000, request.signal, async () => {
        const enrollment = await read()
        return enrollment.status === 'pending' ? [] : [enrollment]
      })
      return { enrollment: decided ?? first }
    },
  }
}

interface Enrolling {
  readonly keyHash: string
  readonly token: StoredEnrollmentToken | undefined
  readonly known: StoredEnrollment | undefined
  readonly address: string | null
}

function createEnrolling(context: EnrollmentContext) {
  const { store, strangers, audit, createId, userCodes } = context

  async function findToken(
    secretHash: string | undefined,
    address: string,
    nowMs: number,
  ): Promise<StoredEnrollmentToken> {
    const token = secretHash === undefined ? undefined : await store.findEnrollmentToken(secretHash)
    if (token === undefined) {
      strangers.count(address, nowMs)
      throw tokenRefused('unknown')
    }
    strangers.noteRight(token.secretHash)
    return token
  }

  async function tryOnce(asked: EnrollmentRequest, enrolling: Enrolling, nowMs: number) {
    const { keyHash, token, known, address } = enrolling
    const { name, type, platform, metadata, keyHint } = asked
    const id = known?.id ?? createId()
    const createdAt = toTimestamp(nowMs)
    const codeHash = (await userCodes.hash(await userCodes.of(keyHash, createdAt)))!
    const times = {
      createdAt,
      expiresAt: toTimestamp(nowMs + pendingMs),
      purgeAt: toTimestamp(nowMs + pendingMs + expiredMs),
    }
    const key = { hash: keyHash, hint: `hw_…${keyHint}` }
    const enrollment = { id, key, codeHash, name, type, platform, metadata, address, ...times }
    if (token === undefined) return { outcome: await store.enroll(enrollment), entries: [] }
    const deviceId = createId()
    const call = { userId: token.owner, address: address ?? undefined }
    const entries = [audit.entryOf(call, 'enrollment:approved', { deviceId, subjectId: id, name })]
    const { secretHash } = token
    return { outcome: await store.enroll(enrollment, { secretHash, deviceId }, entries), entries, deviceId }
  }

  function tellAdmitted(enrolling: Enrolling, deviceId: string): void {
    announceAdmission(context, {
      keyHash: enrolling.keyHash,
      enrollmentId: enrolling.known?.id,
      deviceId,
      userId: enrolling.token!.owner,
    })
  }

  return {
    findToken,
    async insert(asked: EnrollmentRequest, enrolling: Enrolling, nowMs: number): Promise<StoredEnrollment> {
      for (let tries = 1; ; tries += 1) {
        try {
          const { outcome, entries, deviceId } = await tryOnce(asked, enrolling, nowMs + tries - 1)
          const enrollment = enrollmentOf(outcome)
          if (deviceId !== undefined && enrollment.deviceId === deviceId) {
            tellAdmitted(enrolling, deviceId)
            audit.tell(entries)
          }
          return enrollment
        } catch (error) {
          if (!isConflict(error)) throw error
          if (tries === mostTries) throw keyInUse()
        }
      }
    },
  }
}

function enrollmentOf(outcome: EnrollOutcome): StoredEnrollment {
  if (outcome.kind === 'refused') throw tokenRefused(outcome.reason)
  return outcome.enrollment
}

/** Makes a device's key work at once that was just let in, and ends the polls that wait for it. */
export function announceAdmission(
  { keys, polls, emit }: Pick<EnrollmentContext, 'keys' | 'polls' | 'emit'>,
  admitted: { keyHash: string; enrollmentId: string | undefined; deviceId: string; userId: string },
): void {
  const { keyHash, enrollmentId, deviceId, userId } = admitted
  keys.forget([keyHash])
  keys.remember(keyHash)
  if (enrollmentId !== undefined) polls.announce([enrollmentId])
  emit('device:registered', { deviceId, userId })
}

/** Whether a store refused because a key or a code is in use already. */
export const isConflict = (error: unknown) => CloudStoreError.is(error) && error.code === 'CONFLICT'

/** 409 for a key that a registered device has. */
export const keyInUse = () =>
  new HttpError(409, {
    error: 'Conflict',
    message:
      'Enrolling the device failed: a device with this key is already registered. Create a new key on the device.',
  })

/** Throws 429 when as many devices wait as may. Those with tokens of a user take no room from anybody else. */
async function assertRoom(
  { store }: Pick<EnrollmentContext, 'store'>,
  owner: string | null,
  nowMs: number,
): Promise<void> {
  if ((await store.countPendingEnrollments(owner, toTimestamp(nowMs))) < maxPending) return
  throw rateLimited('Too many devices wait to be approved on this server. Try again later.', 60_000)
}

/** Hash of a token's secret; undefined for what cannot be one. */
function toTokenHash(token: string | undefined): string | undefined {
  return token !== undefined && isApiKey(token, tokenPrefix) ? hashText(token) : undefined
}

function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}
