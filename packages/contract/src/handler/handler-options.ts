import type {
  AuthKind,
  BodyOf,
  Operation,
  OperationTable,
  ParamsOf,
  QueryOf,
  ReplyOf,
  Schema,
} from '../operation.ts'
import type { HttpError } from './http-error.ts'
import type { PlainReply } from './plain-reply.ts'
import type { RequestView } from './request-view.ts'

/** A call that is authenticated and parsed. */
export interface Call<O extends Operation, Caller> {
  /** What `authenticate` of the operation's kind found out. */
  readonly caller: Caller
  readonly params: ParamsOf<O>
  readonly query: QueryOf<O>
  /** Parsed JSON body. Operations with a form read `request.body()` themselves. */
  readonly body: BodyOf<O>
  readonly request: RequestView
  /** Identifies this call in the `x-request-id` header, in errors and in spans. */
  readonly requestId: string
  /** Says that the same was asked for before: the answer has the operation's `repeatStatus`. */
  markRepeated(): void
  /** Says that somebody still has to decide: the answer has the operation's `pendingStatus`. */
  markPending(): void
  /** Adds a header to a successful answer; `name` in lower case. */
  setHeader(name: string, value: string): void
}

type Callers = Partial<Record<AuthKind, unknown>>

type CallerOf<C extends Callers, O extends Operation> = O['auth'] extends keyof C ? C[O['auth']] : undefined

/** What a handler gives back: the documented body, or for a file or events a stream with its headers. */
export type HandlerReply<O extends Operation> = O['reply'] extends Schema
  ? ReplyOf<O> | (O['orEvents'] extends true ? PlainReply : never)
  : PlainReply

/** One function per operation of a table; leaving one out does not compile. */
export type HandlersOf<Table extends OperationTable, C extends Callers> = {
  readonly [Id in keyof Table]: (
    call: Call<Table[Id], CallerOf<C, Table[Id]>>,
  ) => HandlerReply<Table[Id]> | Promise<HandlerReply<Table[Id]>>
}

type AuthKindsOf<Table extends OperationTable> = Exclude<Table[keyof Table]['auth'], 'public'>

/** One function per kind of caller in the table. It throws {@link HttpError} to refuse. */
export type AuthenticatorsOf<Table extends OperationTable, C extends Callers> = {
  readonly [Kind in AuthKindsOf<Table>]: (
    request: RequestView,
    operationId: keyof Table & string,
  ) => (Kind extends keyof C ? C[Kind] : undefined) | Promise<Kind extends keyof C ? C[Kind] : undefined>
}

/** What a failure belongs to. */
export interface FailureContext {
  /** Undefined when no operation was matched. */
  readonly operationId: string | undefined
  readonly requestId: string
}

/** Wraps the work of one call, for spans. It must call `run` once and give back its reply. */
export type Trace = (
  call: {
    readonly operationId: string
    readonly method: string
    readonly route: string
    readonly requestId: string
  },
  run: () => Promise<PlainReply>,
) => Promise<PlainReply>

/** A request that was answered, well or not. */
export interface CompletedCall {
  /** Undefined when no operation was matched, or the guard refused. */
  readonly operationId: string | undefined
  /** Path template of the operation. */
  readonly route: string | undefined
  /** As the caller wrote it. */
  readonly method: string
  readonly status: number
  /** From the request to the beginning of the answer. */
  readonly seconds: number
}

/** How a table becomes a handler. */
export interface HandlerOptions<Table extends OperationTable, C extends Callers> {
  /** What can be called. */
  readonly operations: Table
  /** One function for each operation. */
  readonly handlers: HandlersOf<Table, C>
  /** One function for each kind of caller. */
  readonly authenticate: AuthenticatorsOf<Table, C>
  /**
   * Checked before anything else, on every path but webhooks: throws {@link HttpError} to refuse. See
   * `createAccessGuard`.
   */
  readonly guard?: (request: RequestView) => void
  /** Largest JSON body in bytes. @default 5 MiB */
  readonly maxJsonBytes?: number
  /** Checks every reply against its schema; for tests. A mismatch is a 500. @default false */
  readonly checkReplies?: boolean
  /** Told of every failure that is not an {@link HttpError}. Never gets bodies or keys. */
  readonly onError?: (error: unknown, context: FailureContext) => void
  /** Shapes the body of an error answer. @default the documented body as it is */
  readonly errorBody?: (error: HttpError, context: FailureContext) => object
  /** Makes spans. @default none */
  readonly trace?: Trace
  /** Told of each answer, to measure; must not throw. See `createRequestMeter`. @default none */
  readonly observe?: (answered: CompletedCall) => void
  /** @default crypto.randomUUID */
  readonly createRequestId?: () => string
}
