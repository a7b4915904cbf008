import type { Operation } from '@homeward/contract'
import { deviceCloudOperations, type DeviceCloudOperationId } from '@homeward/contract/device-cloud'
import { HttpError } from '@homeward/contract/handler'
import type { CallerSession } from '../tokens/authenticate-token.ts'

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
