import type * as z from 'zod/mini'

/** A zod schema of either flavour (`zod` or `zod/mini`): both share the same core. */
export type Schema = z.core.$ZodType

/**
 * Who may call an operation.
 *
 * - `device`: `Authorization: Bearer <API key>` of a registered device.
 * - `session`: a user, recognised by the host's session mechanism.
 * - `local`: a caller of the local platform, checked as the host decided.
 * - `webhook`: another service, proven by its own signature.
 * - `public`: anybody.
 */
export type AuthKind = 'device' | 'session' | 'local' | 'webhook' | 'public'

/** A `multipart/form-data` body: text fields, and at most one streamed file. */
export interface FormBody {
  /** Schema of the text fields, by part name. */
  readonly fields: Schema
  /** Name of the part that carries the file. */
  readonly file: string
}

/** A JSON body that may also come as `multipart/form-data`, with files. */
export interface BodyForm {
  /** Name of the part that holds the JSON. */
  readonly body: string
  /** Name of the parts that hold files. */
  readonly file: string
  /** Field of the body that each file is added to, as `{name, media_type, data}`. */
  readonly list: string
}

/** A header that changes what an operation does, or tells more about its answer. */
export interface OperationHeader {
  readonly name: string
  readonly description: string
}

/**
 * One row of an interface: where it is, who may call it, what goes in and what comes out.
 *
 * The client, the handler, the OpenAPI document, the mocks and the reference page all derive from it.
 */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path template, parameters in braces: `/api/devices/{id}/key`. */
  readonly path: string
  readonly auth: AuthKind
  /** One sentence: what the operation does. */
  readonly summary: string
  /** The decision (`C9`) or section of the interface document that the row follows. */
  readonly source: string
  /** Path parameters. Required when `path` has braces. */
  readonly params?: Schema
  /** Query parameters; each arrives as text. */
  readonly query?: Schema
  /** JSON request body. */
  readonly body?: Schema
  /** Lets `body` come as a form too. @default JSON only */
  readonly bodyForm?: BodyForm
  /** Largest body in bytes, where it is more than the limit of the handler. @default that limit */
  readonly maxBodyBytes?: number
  /** Multipart request body, instead of `body`. */
  readonly form?: FormBody
  /** Body of plain bytes (`application/octet-stream`), instead of `body`. */
  readonly bytes?: true
  /**
   * Body of a successful answer; `bytes` for a streamed file, `events` for server-sent events, `platform` for what
   * another service expects of its webhook.
   */
  readonly reply: Schema | 'bytes' | 'events' | 'platform'
  /** Whether a request can ask for server-sent events in place of {@link reply}. */
  readonly orEvents?: true
  /** Whether parts of a streamed file can be asked for, as RFC 9110, section 14 says. */
  readonly inParts?: true
  /** Status of a successful answer. @default 200 */
  readonly status?: 200 | 201 | 202
  /** A body that is the answer whatever its status is, where the interface leaves that open. */
  readonly replyAtAnyStatus?: Schema
  /** Status when the same was asked for before and nothing new came of it. @default the status of success */
  readonly repeatStatus?: 200
  /** Statuses of documented errors besides those that every operation of its kind can give. */
  readonly errors?: readonly number[]
  readonly headers?: readonly OperationHeader[]
  /** Headers that a successful answer may carry. */
  readonly replyHeaders?: readonly OperationHeader[]
}

/** An interface: operations by their id. */
export type OperationTable = Readonly<Record<string, Operation>>

type Input<S> = S extends Schema ? z.core.input<S> : undefined
type Output<S> = S extends Schema ? z.core.output<S> : undefined

/** What a caller may pass as path parameters. */
export type ParamsInputOf<O extends Operation> = Input<O['params']>
/** What a caller may pass as query parameters. */
export type QueryInputOf<O extends Operation> = Input<O['query']>
/** What a caller may pass as JSON body. */
export type BodyInputOf<O extends Operation> = Input<O['body']>
/** Path parameters after parsing. */
export type ParamsOf<O extends Operation> = Output<O['params']>
/** Query parameters after parsing. */
export type QueryOf<O extends Operation> = Output<O['query']>
/** JSON body after parsing. */
export type BodyOf<O extends Operation> = Output<O['body']>
/** Body of a successful answer after parsing. */
export type ReplyOf<O extends Operation> = O['reply'] extends 'bytes' | 'events' | 'platform'
  ? ReadableStream<Uint8Array>
  : Output<O['reply']>
