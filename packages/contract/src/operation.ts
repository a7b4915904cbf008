import type * as z from 'zod/mini'

/** A zod schema from `zod` or `zod/mini`, which share one core. */
export type Schema = z.core.$ZodType

/**
 * Kind of caller that may call an operation.
 *
 * - `device`: a registered device with `Authorization: Bearer <API key>`.
 * - `enrolling`: a device that waits for approval, with the same header and the key that it created.
 * - `session`: a user whom your app's session function recognizes.
 * - `local`: a caller of the local platform, checked by your app's access function.
 * - `webhook`: another service, verified by its own signature.
 * - `public`: anyone.
 */
export type AuthKind = 'device' | 'enrolling' | 'session' | 'local' | 'webhook' | 'public'

/**
 * Permissions of a session or an API token.
 *
 * - `read`: list and read devices, searches with their results, and upload requests.
 * - `search`: create, run and cancel searches.
 * - `fetch`: request files from devices, cancel those requests and download the files.
 * - `manage`: register, change and delete devices and their keys; enrollments; API tokens; export and erase.
 * - `audit`: read the audit log.
 */
export const grants = ['read', 'search', 'fetch', 'manage', 'audit'] as const
/** A grant of a session or an API token: one of {@link grants}. */
export type Grant = (typeof grants)[number]

/**
 * Permissions of an access token of the agent platform. Only `admin` includes others: all of them.
 *
 * - `read`: list and read agents, runs, conversations, memories, and settings without their secrets; follow events.
 * - `run`: start and cancel runs and tasks, write to conversations and memories, send messages to chats.
 * - `approve`: decide about calls that wait for approval, and remove remembered decisions.
 * - `admin`: everything, including changes of agents, skills, settings, providers, senders, routes and tokens.
 */
export const tokenScopes = ['read', 'run', 'approve', 'admin'] as const
/** A scope of an access token: one of {@link tokenScopes}. */
export type TokenScope = (typeof tokenScopes)[number]

/** A `multipart/form-data` body: text fields, and at most one streamed file. */
export interface FormBody {
  /** Schema of the text fields, by part name. */
  readonly fields: Schema
  /** Name of the part with the file. */
  readonly file: string
}

/** A JSON body that a client may also send as `multipart/form-data` with files. */
export interface BodyForm {
  /** Name of the part with the JSON. */
  readonly body: string
  /** Name of the parts with files. */
  readonly file: string
  /** Field of the body to which each file is added, as `{name, media_type, data}`. */
  readonly list: string
}

/** A binary body with one content type and one content encoding. */
export interface EncodedBody {
  readonly type: string
  readonly encoding: string
}

/**
 * A form with files that the handler reads as a stream, instead of a JSON body. No file is held in memory, and the
 * handler receives no parsed body.
 */
export interface FileForm {
  /** Name of the optional part with JSON about all files. */
  readonly body: string
  /** Schema of that JSON. */
  readonly fields: Schema
  /** Name of the parts with files. */
  readonly file: string
}

/** A header that changes what an operation does, or describes its response. */
export interface OperationHeader {
  readonly name: string
  readonly description: string
}

/**
 * Path of a value in a call, such as `params.id` or `body.agent_id`. In an {@link OperationAudit}, also in the
 * response.
 */
export type Place = `${'params' | 'query' | 'body' | 'reply'}.${string}`

/** Describes the audit entry of a call. */
export interface OperationAudit {
  /** Name of the action, such as `agent.updated`. */
  readonly action: string
  /**
   * Object of the action: a text with places of the call in braces.
   *
   * @default the `id` of the path, if the path has one
   */
  readonly target?: string
  /** Object of the action once it is done, with places of the response. @default {@link target} */
  readonly targetAfter?: string
  /** Place of the device id or of a list of device ids. If the list has several ids, the entry names no device. */
  readonly device?: Place
  /** Place of the object's name. */
  readonly name?: Place
  /** Recorded details: the names of all fields of the body, or some fields with their values. Never secrets. */
  readonly details?: 'names' | readonly string[]
  /**
   * Whether the change happens outside the store. The entry is then written before the change and completed
   * afterwards.
   */
  readonly isOutside?: true
}

/** Request fields that a user-limited caller may set only if its token allows them. */
export const allowances = ['metadata', 'messages', 'model_settings', 'budget'] as const
/** A request field that a token of a user may set: one of {@link allowances}. */
export type Allowance = (typeof allowances)[number]

/** Places of the fields that need an {@link Allowance}. */
export type AllowedPlaces = Readonly<Partial<Record<Allowance, readonly Place[]>>>

/** `everyone`: all users share it, such as agents. `nobody`: it belongs to no user, and a caller for one user gets 403. */
type SharedBy = 'everyone' | 'nobody'

/** Fields of a response's rows, or of its one object, that a user-limited caller sees. */
export interface ShownFields {
  readonly in: string
  readonly fields: readonly string[]
}

/** Places of the agent or graph, and of the user, in a call. */
export interface NamedSubject {
  readonly agent?: Place
  readonly graph?: Place
  /** Place of the user. For a user-limited caller, the server fills in its user; another user gets 403. */
  readonly user: Place | SharedBy
  /** Place of a conversation id that the caller may choose. Ids of different users never collide. */
  readonly conversation?: Place
  readonly allow?: AllowedPlaces
  readonly shown?: ShownFields
}

/**
 * A call about an existing object with an agent or graph and a user, which the server looks up by its id. For a
 * user-limited caller, an object of another user does not exist.
 */
export interface FoundSubject {
  readonly found: 'run' | 'task' | 'schedule' | 'conversation' | 'response' | 'file' | 'memory'
  readonly id: Place
  /** `own`: the user of the object. */
  readonly user: 'own' | 'nobody'
}

/**
 * Each row of the response has an agent or graph and a user in these fields. Rows that the caller may not see are
 * left out.
 */
export interface RowsSubject {
  /** Field of the response with the rows. */
  readonly rows: string
  /** If the call has a value at this place, the response is one row instead of a list. */
  readonly single?: Pick<FoundSubject, 'found' | 'id'> & { readonly in: string }
  readonly agent?: string
  readonly graph?: string
  /** Field of a row with its user, and place of the call's user filter. Another user gets 403. */
  readonly user: { readonly field: string; readonly filter: Place } | SharedBy
  /** Place of the call's conversation filter. */
  readonly conversation?: Place
  /** Response fields that are removed because they reveal other rows. */
  readonly without?: readonly string[]
  readonly shown?: ShownFields
}

/**
 * Agents and users that a call is about, for callers limited to some agents or to one user.
 *
 * - `none`: no agent and no user. Every caller with the scope may call it.
 * - `shared`: data that agents share and that belongs to no user, such as skills. A user-limited caller may not call
 *   it.
 * - `all`: all agents, or what they share. Only callers without limits may call it.
 * - `rule`: the server has its own rule for it.
 */
export type OperationSubject = 'none' | 'shared' | 'all' | 'rule' | NamedSubject | FoundSubject | RowsSubject

interface SessionAccess<Needs extends Grant | 'any'> {
  readonly auth: 'session'
  readonly needs: Needs
  readonly scope?: undefined
  /** Always about the user of the session. */
  readonly subject?: undefined
}

interface LocalAccess<Scope extends TokenScope | 'any'> {
  readonly auth: 'local'
  readonly scope: Scope
  readonly subject: OperationSubject
  readonly needs?: undefined
}

interface OtherAccess {
  readonly auth: Exclude<AuthKind, 'session' | 'local'>
  readonly needs?: undefined
  readonly scope?: undefined
  readonly subject?: undefined
}

interface MayBeAudited {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly audit?: OperationAudit | 'none'
}

interface Reading extends MayBeAudited {
  readonly method: 'GET'
}

/** Says what the audit writes, or that nothing is changed: `none`. */
interface Changing extends MayBeAudited {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly audit: OperationAudit | 'none'
}

/**
 * Access of an operation. An operation for sessions names the grant that it needs. An operation for local callers names
 * the scope of the token and its subject. `any`: one grant or scope is enough, because the routes that it calls need
 * their own. Changes by administrators and users are audited.
 */
type OperationAccess =
  | (SessionAccess<Grant | 'any'> & Reading)
  | (SessionAccess<'search' | 'fetch' | 'manage'> & Changing)
  | (SessionAccess<'read' | 'audit' | 'any'> & MayBeAudited)
  | (LocalAccess<TokenScope | 'any'> & Reading)
  | (LocalAccess<'admin'> & Changing)
  | (LocalAccess<'read' | 'run' | 'approve' | 'any'> & MayBeAudited)
  | (OtherAccess & MayBeAudited)

/**
 * One operation of an HTTP API: its path, callers, input and responses.
 *
 * The client, the handler, the OpenAPI document, the mocks and the reference page all derive from it.
 */
export type Operation = OperationShape & OperationAccess

interface OperationShape {
  /** Path template, parameters in braces: `/api/devices/{id}/key`. */
  readonly path: string
  /** One sentence: what the operation does. */
  readonly summary: string
  /** The decision (`C9`) or section of the interface document that the row follows. */
  readonly source: string
  /** Path parameters. Required when `path` has braces. */
  readonly params?: Schema
  /** Query parameters; each arrives as text. */
  readonly query?: Schema
  /** Query parameters that may stand more than once; each arrives as a list of texts. @default none */
  readonly repeatable?: readonly string[]
  /** JSON request body. */
  readonly body?: Schema
  /** Whether a request may have no body at all, which counts as `{}`. @default a body is required */
  readonly optionalBody?: true
  /** Lets `body` come as a form too. @default JSON only */
  readonly bodyForm?: BodyForm
  /** Lets a form with files come in place of `body`. @default JSON only */
  readonly fileForm?: FileForm
  /** Largest body in bytes, where it is more than the limit of the handler. @default that limit */
  readonly maxBodyBytes?: number
  /** Multipart request body, instead of `body`. */
  readonly form?: FormBody
  /** Body of plain bytes (`application/octet-stream`), or of one type and encoding, instead of `body`. */
  readonly bytes?: true | EncodedBody
  /**
   * Body of a successful answer; `bytes` for a streamed file, `events` for server-sent events, `platform` for what
   * another service expects of its webhook, `mcp` for messages of the Model Context Protocol, `text` for plain text, `page`
   * for a page that a person reads, also after an error.
   */
  readonly reply: Schema | StreamKind
  /** Whether API tokens may not call it, whatever they may do otherwise. @default they may */
  readonly needsSession?: true
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
  /** Status when somebody still has to decide about what was asked for. @default the status of success */
  readonly pendingStatus?: 202
  /** Status of a successful answer that has nothing to stream. */
  readonly emptyStatus?: 204
  /** Statuses of documented errors besides those that every operation of its kind can give. */
  readonly errors?: readonly number[]
  readonly headers?: readonly OperationHeader[]
  /** Headers that a successful answer may carry. */
  readonly replyHeaders?: readonly OperationHeader[]
}

/** Kinds of answers whose body is not JSON. */
type StreamKind = 'bytes' | 'events' | 'platform' | 'mcp' | 'text' | 'page'

/** An HTTP API: operations by their id. */
export type OperationTable = Readonly<Record<string, Operation>>

type Input<S> = S extends Schema ? z.core.input<S> : undefined
type Output<S> = S extends Schema ? z.core.output<S> : undefined

/** Path parameters that a caller may pass. */
export type ParamsInputOf<O extends Operation> = Input<O['params']>
/** Query parameters that a caller may pass. */
export type QueryInputOf<O extends Operation> = Input<O['query']>
/** JSON body that a caller may pass. */
export type BodyInputOf<O extends Operation> = Input<O['body']>
/** Path parameters after validation. */
export type ParamsOf<O extends Operation> = Output<O['params']>
/** Query parameters after validation. */
export type QueryOf<O extends Operation> = Output<O['query']>
/** JSON body after validation. */
export type BodyOf<O extends Operation> = Output<O['body']>
/** Body of a successful response after validation. */
export type ReplyOf<O extends Operation> = O['reply'] extends StreamKind
  ? ReadableStream<Uint8Array>
  : Output<O['reply']>
