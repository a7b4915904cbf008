import { grants, type Operation } from '@homeward/contract'
import { deviceCloudOperations, type DeviceCloudOperationId } from '@homeward/contract/device-cloud'
import { HttpError } from '@homeward/contract/handler'
import { must, required, text } from '@homeward/kit'
import { checkOptions } from '../context/check-options.ts'
import type { Session } from '../ports/sessions.ts'
import type { CallerSession } from '../tokens/authenticate-token.ts'

const attempt = 'Authenticating the caller by sessions.resolve()'
const maxActorLength = 512
const rules = {
  // Whom nobody names would share everything with all others whom nobody names.
  userId: required(text),
  actor: must(
    `be a string of 1 to ${maxActorLength} characters`,
    (value) => typeof value === 'string' && value !== '' && value.length <= maxActorLength,
  ),
  may: must(`be a list of ${grants.join(', ')}`, isListOfGrants),
}

/**
 * Checks what the host's session mechanism returned.
 *
 * @throws {TypeError} that names the field, if the host returned something that is not a session.
 */
export function checkSession(session: Session): void {
  const { userId, actor, may } = session
  checkOptions(attempt, { userId, actor, may }, rules)
}

function isListOfGrants(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => (grants as readonly unknown[]).includes(each))
}

/**
 * Checks that a session may call an operation (C30). Every operation for sessions passes through here, before anything of
 * the request is read.
 *
 * @throws {HttpError} 403 that names the missing grant.
 */
export function checkGrant({ may, token }: CallerSession, operationId: DeviceCloudOperationId): void {
  const { needs, needsSession }: Operation = deviceCloudOperations[operationId]
  if (needsSession && token !== undefined) throw sessionNeeded()
  if (may === undefined || needs === undefined) return
  if (needs === 'any' ? may.length > 0 : may.includes(needs)) return
  const named = needs === 'any' ? 'a grant' : `the grant "${needs}"`
  const message = `The request needs ${named}, which the session lacks. Ask the owner for it.`
  throw new HttpError(403, { error: 'Forbidden', message })
}

const sessionNeeded = () =>
  new HttpError(403, {
    error: 'Forbidden',
    message: 'API tokens may not make this request, whatever their grants are. Sign in as the user.',
  })
