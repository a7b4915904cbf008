import { HttpError, type RequestView } from '@homeward/contract/handler'
import type { EnrollmentContext } from './enrollment-context.ts'
import { canBeApiKey, hashText } from '../keys/api-key.ts'
import { isRepeatedAuthorization, sendAuthorizationOnce } from '../keys/repeated-authorization.ts'

/** A device that is not registered yet, by the key that it made. Whether the key is right is for the operation to see. */
export interface EnrollingDevice {
  readonly keyHash: string
}

/** 401 for a key that is not the one of the enrollment. */
export const invalidEnrollmentKey = (header = '') =>
  new HttpError(
    401,
    { error: 'Invalid or missing API key' },
    { 'www-authenticate': isRepeatedAuthorization(header) ? sendAuthorizationOnce : 'Bearer' },
  )

/** Reads the key of a device that waits to be let in. One that cannot be a key counts as a wrong one. */
export function createEnrollingAuthentication({
  strangers,
  clientAddress,
  keyPrefix,
  now,
}: EnrollmentContext) {
  return (request: RequestView): EnrollingDevice => {
    const header = request.header('authorization') ?? ''
    const apiKey = /^Bearer +(\S+) *$/i.exec(header)?.[1]
    if (apiKey !== undefined && canBeApiKey(apiKey, keyPrefix)) return { keyHash: hashText(apiKey) }
    strangers.count(clientAddress(request), now())
    throw invalidEnrollmentKey(header)
  }
}
