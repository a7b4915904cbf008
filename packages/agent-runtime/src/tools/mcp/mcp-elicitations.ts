import { AsyncLocalStorage } from 'node:async_hooks'
import type { JsonObject } from '@homeward/contract/agent-platform'
import { untilAborted } from '@homeward/kit'
import { createKeyedMutex } from '../../concurrency/keyed-mutex.ts'
import type { ElicitationAnswer, ElicitationQuestion } from '../../ports/elicitation.ts'
import { isJsonObject } from '../../json/json-object.ts'

/** Asks a person, and gives the answer. Rejects if the call has to wait for it. */
export type AskPerson = (question: Omit<ElicitationQuestion, 'kind' | 'server'>) => Promise<ElicitationAnswer>

/** A call ended because it has asked a person: it is made again, from its start, once the answer is there. */
export class CallStopped extends Error {
  override readonly name = 'CallStopped'
  constructor(cause: unknown) {
    super('The call waits for an answer', { cause })
  }
}

interface OpenCall {
  readonly ask: AskPerson
  readonly stop: AbortController
  readonly asked: Promise<unknown>[]
}

/** Leads what a server asks to the call that made it ask. */
export interface McpElicitations {
  /** Makes a call during which the server may ask. @throws {CallStopped} */
  during<Answer>(
    ask: AskPerson,
    signal: AbortSignal,
    request: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer>
  /**
   * What the server gets for a question. It gets nothing if the call has to wait: the call is cancelled.
   *
   * @param signal aborts when the server takes its question back, or its connection ends
   * @throws {Error} if nobody can be asked
   */
  elicit(params: unknown, signal: AbortSignal): Promise<ElicitationAnswer>
}

/**
 * A question comes with the answer to its call, or not: a program asks on its only stream. Then it belongs to the call that is being
 * made. If there are several, nobody is asked, and from then on calls of the server are made one at a time.
 */
export function createMcpElicitations(): McpElicitations {
  const current = new AsyncLocalStorage<OpenCall>()
  const open = new Set<OpenCall>()
  const inTurn = createKeyedMutex()
  let isOneByOne = false

  const find = (): OpenCall => {
    const [only, ...others] = open
    const own = current.getStore()
    if (own && open.has(own)) return own
    if (only && others.length === 0) return only
    isOneByOne = only !== undefined
    throw new Error(
      only
        ? 'Asking a person failed: several calls are under way. Make this call again.'
        : 'Asking a person failed: no call is under way.',
    )
  }

  return {
    during(ask, signal, request) {
      const make = async () => {
        signal.throwIfAborted()
        const call: OpenCall = { ask, stop: new AbortController(), asked: [] }
        open.add(call)
        try {
          const work = current.run(call, () => request(AbortSignal.any([signal, call.stop.signal])))
          return await untilAborted(work, call.stop.signal)
        } catch (error) {
          throw call.stop.signal.aborted ? call.stop.signal.reason : error
        } finally {
          open.delete(call)
        }
      }
      return isOneByOne ? inTurn('', make) : make()
    },
    async elicit(params, signal) {
      const call = find()
      const answer = call.ask(toQuestion(params))
      call.asked.push(answer)
      try {
        return await answer
      } catch (error) {
        // what is asked at the same time is asked together
        await Promise.allSettled(call.asked)
        call.stop.abort(new CallStopped(error))
        return await untilAborted(new Promise<never>(() => undefined), signal)
      }
    },
  }
}

const codeOfMissing = -32_042

/** What a person has to do first, if a server rejected a call because of that. */
export function missingOf(error: unknown): ReturnType<typeof toQuestion>[] {
  const { code, data }: { readonly code?: unknown; readonly data?: unknown } =
    typeof error === 'object' && error !== null ? error : {}
  const asked = code === codeOfMissing && typeof data === 'object' ? (data as JsonObject | null) : undefined
  const { elicitations } = asked ?? {}
  return Array.isArray(elicitations) ? elicitations.slice(0, 10).map(toQuestion) : []
}

function toQuestion(params: unknown) {
  const { mode, message, url, requestedSchema, elicitationId }: Record<string, unknown> =
    typeof params === 'object' && params !== null ? { ...params } : {}
  return {
    message: typeof message === 'string' ? message : '',
    ...(mode === 'url' && { url: typeof url === 'string' ? url : '' }),
    ...(isJsonObject(requestedSchema as never) && { schema: requestedSchema as JsonObject }),
    ...(typeof elicitationId === 'string' && { id: elicitationId }),
  }
}
