import type { Operation, OperationAudit, OperationTable } from '@homeward/contract'
import { agentPlatformOperations, openaiOperations } from '@homeward/contract/agent-platform'
import type { Call, PlainReply, RequestView } from '@homeward/contract/handler'
import { watchAccess } from '@homeward/kit'
import { toDocumented } from '../platform-errors.ts'
import type { PlatformContext } from '../platform-context.ts'
import { createSealedCursors, limitOf, withFixedMetadata } from './limits.ts'
import { createAuthenticator, type PlatformAuth } from './platform-auth.ts'
import {
  hasScope,
  isLimited,
  keepsAccess,
  localCaller,
  scopeMissing,
  type PlatformCaller,
} from './platform-caller.ts'
import { createReach } from './reach.ts'
import { createActRecorder } from './record-acts.ts'

const operations: OperationTable = { ...agentPlatformOperations, ...openaiOperations }

type AnyCall = Call<Operation, PlatformCaller | undefined>
type AnyHandle = (call: AnyCall) => unknown

/** Who may call what: the one check of every operation, as its row says (A19, A26, A27). */
interface Access {
  /** Says who calls. @throws {HttpError} 401, or 403 for one that lacks the scope */
  readonly local: (request: RequestView, id: string) => Promise<PlatformCaller>
  /**
   * The same handlers within the limits of their callers: what is out of reach is 403, what is audited is written down, and a
   * stream ends with the token of its caller.
   */
  protect<Handlers extends object>(handlers: Handlers): Handlers
}

/** Builds the check. */
export function createAccess(
  auth: PlatformAuth,
  { services, clientAddress, cursorSecret, onError }: PlatformContext,
): Access {
  const authenticate = createAuthenticator(auth, { ...services, clientAddress })
  const cursors = createSealedCursors(cursorSecret)
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
    const act = auditOf(id)
    const error = scopeMissing(scopeOf(id))
    if (act) await recorder.refuse(act, caller, path, error)
    throw error
  }

  // a function of the host's may look at what only a new request has
  const isWatched = (caller: PlatformCaller) =>
    typeof auth !== 'function' && (auth.kind !== 'none' || caller !== localCaller)

  const mayContinue = ({ request }: AnyCall, id: string) => keepsAccess(authenticate(request), scopeOf(id))

  const endWith = (reply: unknown, call: AnyCall, id: string) =>
    isStream(reply) && call.caller && isWatched(call.caller)
      ? endWithAccess(reply, () => mayContinue(call, id))
      : reply

  async function serveLimited(id: string, handle: AnyHandle, call: AnyCall, caller: PlatformCaller) {
    const context = { caller, reach: createReach(caller, services), services }
    try {
      const limit = limitOf(id, operations[id]?.subject)
      const own = call as Call<Operation, PlatformCaller>
      const given = limit.before ? await limit.before(own, context) : own
      const reply = await handle(await cursors.open(given))
      return cursors.seal(limit.after ? await limit.after(reply, context) : reply) // of the same operation
    } catch (error) {
      throw toDocumented(error, onError)
    }
  }

  function wrap(id: string, handle: AnyHandle): AnyHandle {
    const act = auditOf(id)
    // not async: while a handler works, nothing else holds the body of its call
    return (call) => {
      const { caller } = call
      if (caller === undefined) return handle(call)
      const serve = () => {
        if (isLimited(caller)) return serveLimited(id, handle, call, caller)
        return handle(caller.metadata ? withFixedMetadata(operations[id]?.subject, call, caller) : call)
      }
      const reply = act ? recorder.run(act, caller, call, serve) : serve()
      return reply instanceof Promise
        ? reply.then((ready) => endWith(ready, call, id))
        : endWith(reply, call, id)
    }
  }

  return {
    local,
    protect<Handlers extends object>(handlers: Handlers) {
      // each takes the call of its own operation; here all are alike
      const wrapped = Object.entries(handlers).map(
        ([id, handle]) => [id, wrap(id, handle as AnyHandle)] as const,
      )
      return Object.fromEntries(wrapped) as unknown as Handlers // the same keys, and functions that give the same
    },
  }
}

function auditOf(id: string): OperationAudit | undefined {
  const audit = operations[id]?.audit
  return audit === 'none' ? undefined : audit
}

/** No body of JSON holds a stream. */
function isStream(reply: unknown): reply is PlainReply {
  return (reply as Partial<PlainReply> | undefined)?.body instanceof ReadableStream
}

/** The same reply, whose stream ends once its caller may not have it anymore. */
function endWithAccess(reply: PlainReply, mayContinue: () => Promise<boolean>): PlainReply {
  if (!(reply.body instanceof ReadableStream)) return reply
  const reader = reply.body.getReader()
  let isOver = false
  let stop = () => {}
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        stop = watchAccess(mayContinue, () => {
          isOver = true
          controller.close()
          void reader.cancel().catch(() => {})
        })
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read()
          if (isOver) return
          if (!done) return controller.enqueue(value)
          stop()
          controller.close()
        } catch (error) {
          stop()
          if (!isOver) controller.error(error)
        }
      },
      cancel(reason) {
        isOver = true
        stop()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
  return { ...reply, body }
}
