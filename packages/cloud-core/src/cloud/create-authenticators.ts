import type { DeviceCloudOperationId } from '@homeward/contract/device-cloud'
import { HttpError, type RequestView } from '@homeward/contract/handler'
import type { CloudServices } from './create-context.ts'
import type { DeviceCloudOptions } from './cloud-options.ts'
import type { createDeviceAuthentication } from '../devices/authenticate-device.ts'
import { createEnrollingAuthentication, type EnrollingDevice } from '../enrollments/authenticate-enrolling.ts'
import { createDeviceRates } from '../limits/device-rates.ts'
import type { StoredDevice } from '../ports/device-store.ts'
import type { Session } from '../ports/sessions.ts'
import { checkGrant, checkSession } from '../sessions/check-session.ts'
import { createTokenAuthentication, type CallerSession } from '../tokens/authenticate-token.ts'

/** Who calls, by kind of caller. */
export type Callers = { device: StoredDevice; enrolling: EnrollingDevice; session: CallerSession }

/** Finds the device of a request. */
export type AuthenticateDevice = ReturnType<typeof createDeviceAuthentication>

/** Says who calls, and whether the caller may: one function for each kind of caller. */
export function createAuthenticators(
  context: CloudServices,
  { sessions }: DeviceCloudOptions,
  authenticateDevice: AuthenticateDevice,
) {
  const apiTokens = createTokenAuthentication(context)
  const checkRate = createDeviceRates(context.maxCachedKeys)

  function admit(device: StoredDevice, operationId: string): StoredDevice {
    checkRate(operationId, device.id, context.now())
    return device
  }

  async function resolveSession(request: RequestView): Promise<Session> {
    const session = await sessions.resolve(request)
    if (!session) throw new HttpError(401, { error: 'Unauthorized' })
    checkSession(session)
    // nothing else of what the host returned: `token` is ours
    const { userId, actor, may } = session
    return { userId, ...(actor !== undefined && { actor }), ...(may !== undefined && { may }) }
  }

  return {
    device(request: RequestView, operationId: string) {
      const found = authenticateDevice(request)
      return found instanceof Promise
        ? found.then((device) => admit(device, operationId))
        : admit(found, operationId)
    },
    enrolling: createEnrollingAuthentication(context),
    async session(request: RequestView, operationId: DeviceCloudOperationId): Promise<CallerSession> {
      const isToken = apiTokens.isMeant(request.header('authorization') ?? '')
      const session = isToken ? await apiTokens.resolve(request) : await resolveSession(request)
      checkGrant(session, operationId)
      await apiTokens.noteUse(session)
      return session
    },
  }
}
