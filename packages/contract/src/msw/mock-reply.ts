import type * as z from 'zod/mini'
import type { BodyOf, Operation, OperationTable, ParamsOf, QueryOf, Schema } from '../operation.ts'

/** A request to a mock, parsed as by the real service. */
export interface MockCall<O extends Operation> {
  readonly params: ParamsOf<O>
  readonly query: QueryOf<O>
  /** Parsed JSON body. Read the parts of a form from `request.formData()`. */
  readonly body: BodyOf<O>
  /** The request, with an unread body. */
  readonly request: Request
}

/** An error response, documented or not. */
export interface MockError {
  /** 400 to 599. */
  readonly status: number
  /** Body, sent as JSON. */
  readonly body: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A server-sent event of a mocked stream. */
export interface MockEvent {
  readonly id?: string
  readonly event?: string
  /** A string is sent unchanged, any other value as JSON. */
  readonly data: unknown
}

/**
 * Body of a successful response, the events of a stream, an error, or a whole `Response` for undocumented content
 * such as HTML or a truncated body.
 */
export type MockResponse<O extends Operation> =
  | (O['reply'] extends Schema ? z.core.input<O['reply']> : never)
  | (O['reply'] extends 'events' ? readonly MockEvent[] : never)
  | MockError
  | Response

/** A fixed response, or a function that creates one for each call. */
export type MockReply<O extends Operation> =
  | MockResponse<O>
  | ((call: MockCall<O>) => MockResponse<O> | Promise<MockResponse<O>>)

/** Responses by operation id. Missing operations are not mocked. */
export type MockReplies<Table extends OperationTable> = {
  readonly [Id in keyof Table]?: MockReply<Table[Id]>
}

/** Whether an answer is an error: a body of an operation may well have a `status`, but never a number next to a `body`. */
export function isMockError(answer: unknown): answer is MockError {
  return (
    typeof answer === 'object' &&
    answer !== null &&
    'body' in answer &&
    'status' in answer &&
    typeof answer.status === 'number'
  )
}

/** Whether a reply makes an answer for each call. */
export function isReplyFunction(reply: unknown): reply is (call: MockCall<Operation>) => unknown {
  return typeof reply === 'function'
}

/** The events of a stream as they go over the wire. */
export function toEventText(events: readonly MockEvent[]): string {
  const lines = events.map(({ id, event, data }) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data)
    const fields = [
      ...(id === undefined ? [] : [`id: ${id}`]),
      ...(event === undefined ? [] : [`event: ${event}`]),
      ...text.split('\n').map((line) => `data: ${line}`),
    ]
    return `${fields.join('\n')}\n\n`
  })
  return lines.join('')
}
