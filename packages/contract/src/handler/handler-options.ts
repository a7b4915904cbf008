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

/** An authenticated and validated call. */
export interface Call<O extends Operation, Caller> {
  /** Result of the `authenticate` function for this kind of caller. */
  readonly caller: Caller
  readonly params: ParamsOf<O>
  readonly query: QueryOf<O>
  /** Validated JSON body. Operations with a form read `request.body()` themselves. */
  readonly body: BodyOf<O>
  readonly request: RequestView
  /** Identifies this call in the `x-request-id` header, in errors and in spans. */
  readonly requestId: string
  /** Marks the call as a repeated one: the response has the operation's `repeatStatus`. */
  markRepeated(): void
  /** Marks the call as undecided: the response has the operation's `pendingStatus`. */
  markPending(): void
  /** Adds a header to a successful response; `name` in lowercase. */
  setHeader(name: string, value: string): void
}

type Callers = Partial<Record<AuthKind, unknown>>

type CallerOf<C extends Callers, O extends Operation> = O['auth'] extends keyof C ? C[O['auth']] : undefined

/** Result of an operation: the documented body, or a stream with its headers for a file or events. */
export type HandlerReply<O extends Operation> = O['reply'] extends Schema
  ? ReplyOf<O> | (O['orEvents'] extends true ? PlainReply : never)
  : PlainReply

/** One function per operation of a table. A missing function does not compile. */
export type HandlersOf<Table extends OperationTable, C extends Callers> = {
  readonly [Id in keyof Table]: (
    call: Call<Table[Id], CallerOf<C, Table[Id]>>,
  ) => HandlerReply<Table[Id]> | Promise<HandlerReply<Table[Id]>>
}

type AuthKindsOf<Table extends OperationTable> = Exclude<Table[keyof Table]['auth'], 'public'>

/** One authentication function per kind of caller in the table. It throws {@link HttpError} to reject the caller. */
export type AuthenticatorsOf<Table extends OperationTable, C extends Callers> = {
  readonly [Kind in AuthKindsOf<Table>]: (
    request: RequestView,
    operationId: keyof Table & string,
  ) => (Kind extends keyof C ? C[Kind] : undefined) | Promise<Kind extends keyof C ? C[Kind] : undefined>
}

/** The request that a failure belongs to. */
export interface FailureContext {
  /** Undefined if no operation matched. */
  readonly operationId: string | undefined
  readonly requestId: string
}

/** Wraps the work of one call in a span. Must call `run` once and return its result. */
export type Trace = (
  call: {
    readonly operationId: string
    readonly method: string
    readonly route: string
    readonly requestId: string
  },
  run: () => Promise<PlainReply>,
) => Promise<PlainReply>

/** A request with its response, successful or not. */
export interface CompletedCall {
  /** Undefined if no operation matched or the guard rejected the request. */
  readonly operationId: string | undefined
  /** Path template of the operation. */
  readonly route: string | undefined
  /** HTTP method as the caller sent it. */
  readonly method: string
  readonly status: number
  /** Seconds from the request to the start of the response. */
  readonly seconds: number
}

/** Options of {@link createHandler}. */
export interface HandlerOptions<Table extends OperationTable, C extends Callers> {
  /** The table of operations. */
  readonly operations: Table
  /** One function for each operation. */
  readonly handlers: HandlersOf<Table, C>
  /** One function for each kind of caller. */
  readonly authenticate: AuthenticatorsOf<Table, C>
  /**
   * Checked first on every path except webhooks. Throws {@link HttpError} to reject a request. See
   * `createAccessGuard`.
   */
  readonly guard?: (request: RequestView) => void
  /** Maximum size of a JSON body in bytes. @default 5 MiB */
  readonly maxJsonBytes?: number
  /** Whether to check every response against its schema, for tests. A mismatch responds with 500. @default false */
  readonly checkReplies?: boolean
  /** Receives every failure that is not an {@link HttpError}. Never receives bodies or keys. */
  readonly onError?: (error: unknown, context: FailureContext) => void
  /** Changes the body of an error response. @default the documented body, unchanged */
  readonly errorBody?: (error: HttpError, context: FailureContext) => object
  /** Creates spans. @default no spans */
  readonly trace?: Trace
  /** Receives each response, for measurements. Must not throw. See `createRequestMeter`. @default no measurements */
  readonly observe?: (answered: CompletedCall) => void
  /** Creates the id of a request. @default crypto.randomUUID */
  readonly createRequestId?: () => string
}
