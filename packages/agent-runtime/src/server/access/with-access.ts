import type { Operation } from '@homeward/contract'
import type { AgentPlatformOperations, OpenAiOperations } from '@homeward/contract/agent-platform'
import type { Call, PlainReply } from '@homeward/contract/handler'
import type { RuntimeServices } from '../../runtime/services.ts'
import { toDocumented } from '../documented-errors.ts'
import { auditedActs, type AuditedAct } from './audited-acts.ts'
import { limitedOperations, type LimitRule } from './limited-operations.ts'
import { forbidden, isLimited, type PlatformCaller } from './platform-caller.ts'
import { createReach } from './reach.ts'
import type { ActRecorder } from './record-acts.ts'
import { watchAccess } from '@homeward/kit'

/** What {@link createAccess} is built from. */
interface AccessOptions {
  readonly services: RuntimeServices
  readonly recorder: ActRecorder
  readonly onError: (error: unknown) => void
  /** Whether a caller can lose its access while it reads a stream. */
  readonly isWatched: (caller: PlatformCaller) => boolean
  /** Whether the caller of a request may still have what it got. */
  readonly mayContinue: (call: AnyCall, operationId: string) => Promise<boolean>
}

type Id = keyof (AgentPlatformOperations & OpenAiOperations)
type AnyCall = Call<Operation, PlatformCaller | undefined>
type AnyHandle = (call: AnyCall) => unknown
type AnyRule = LimitRule<Operation>

/**
 * The same handlers within the limits of their callers: what is out of reach is 403, what is audited is written down, and
 * a stream ends with the token of its caller (A26, A27). Scopes were checked before.
 */
export function withAccess<Handlers extends object>(handlers: Handlers, options: AccessOptions): Handlers {
  const wrapped = Object.entries(handlers).map(([id, handle]) => {
    // each takes the call of its own operation; here all are alike
    return [id, wrap(id as Id, handle as AnyHandle, options)] as const
  })
  return Object.fromEntries(wrapped) as unknown as Handlers // the same keys, and functions that give the same
}

function wrap(id: Id, handle: AnyHandle, options: AccessOptions): AnyHandle {
  const { services, recorder, onError, isWatched, mayContinue } = options
  const act: AuditedAct | undefined = (auditedActs as Readonly<Record<string, AuditedAct>>)[id]
  const rule = (limitedOperations as Readonly<Record<string, AnyRule>>)[id]

  async function serveLimited(call: AnyCall, caller: PlatformCaller): Promise<unknown> {
    if (!rule)
      throw forbidden(
        'This operation is not allowed for a caller who is limited to certain agents or to one user.',
      )
    const context = { reach: createReach(caller, services), services }
    try {
      const given = rule.before ? await rule.before(call as Call<Operation, PlatformCaller>, context) : call
      const reply = await handle(given)
      return rule.after ? await rule.after(reply, context) : reply // of the same operation
    } catch (error) {
      throw toDocumented(error, onError)
    }
  }

  const endWith = (reply: unknown, call: AnyCall) =>
    isStream(reply) && call.caller && isWatched(call.caller)
      ? endWithAccess(reply, () => mayContinue(call, id))
      : reply

  // not async: while a handler works, nothing else holds the body of its call
  return (call) => {
    const { caller } = call
    if (caller === undefined) return handle(call)
    const serve = () => (isLimited(caller) ? serveLimited(call, caller) : handle(call))
    const reply = act ? recorder.run(act, caller, call, serve) : serve()
    return reply instanceof Promise ? reply.then((ready) => endWith(ready, call)) : endWith(reply, call)
  }
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
