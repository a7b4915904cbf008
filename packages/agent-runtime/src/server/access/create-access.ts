import type { OperationTable } from '@homeward/contract'
import { agentPlatformOperations, openaiOperations } from '@homeward/contract/agent-platform'
import type { RequestView } from '@homeward/contract/handler'
import { toDocumented } from '../documented-errors.ts'
import type { PlatformContext } from '../platform-context.ts'
import { auditedActs, type AuditedAct } from './audited-acts.ts'
import { createAuthenticator, type PlatformAuth } from './platform-auth.ts'
import { hasScope, keepsAccess, localCaller, scopeMissing, type PlatformCaller } from './platform-caller.ts'
import { createActRecorder } from './record-acts.ts'
import { withAccess } from './with-access.ts'

const operations: OperationTable = { ...agentPlatformOperations, ...openaiOperations }

/** Who may call what: the one check of every operation (A19, A26). */
export function createAccess(auth: PlatformAuth, { services, onError }: PlatformContext) {
  const authenticate = createAuthenticator(auth, services)
  const recorder = createActRecorder({ audit: services.audit, onError })
  const scopeOf = (id: string) => operations[id]?.scope ?? 'admin' // every operation of a local caller has one

  async function local(request: RequestView, id: string): Promise<PlatformCaller> {
    try {
      const caller = await authenticate(request)
      if (!hasScope(caller, scopeOf(id))) await refuse(caller, request, id)
      return caller
    } catch (error) {
      // the settings may not be there to read: config.json is broken, or the runtime closed
      throw toDocumented(error, onError)
    }
  }

  async function refuse(caller: PlatformCaller, { path }: RequestView, id: string): Promise<never> {
    const act = (auditedActs as Readonly<Record<string, AuditedAct>>)[id]
    const error = scopeMissing(scopeOf(id))
    if (act) await recorder.refuse(act, caller, path, error)
    throw error
  }

  // a function of the host's may look at what only a new request has
  const isWatched = (caller: PlatformCaller) =>
    typeof auth !== 'function' && (auth.kind !== 'none' || caller !== localCaller)

  const protect = <Handlers extends object>(handlers: Handlers) =>
    withAccess(handlers, {
      services,
      recorder,
      onError,
      isWatched,
      mayContinue: ({ request }, id) => keepsAccess(authenticate(request), scopeOf(id)),
    })
  return { local, protect }
}
