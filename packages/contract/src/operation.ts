import type * as z from 'zod/mini'

/** A zod schema of either flavour (`zod` or `zod/mini`): both share the same core. */
export type Schema = z.core.$ZodType

/**
 * Who may call an operation.
 *
 * - `device`: `Authorization: Bearer <API key>` of a registered device.
 * - `enrolling`: the same header of a device that waits to be let in, with the key that it made.
 * - `session`: a user, recognised by the host's session mechanism.
 * - `local`: a caller of the local platform, checked as the host decided.
 * - `webhook`: another service, proven by its own signature.
 * - `public`: anybody.
 */
export type AuthKind = 'device' | 'enrolling' | 'session' | 'local' | 'webhook' | 'public'

/**
 * What a session or an API token may be allowed to do.
 *
 * - `read`: list and see devices, searches with their results, and upload requests.
 * - `search`: create, run and cancel searches.
 * - `fetch`: request files from devices, cancel those requests and download the files.
 * - `manage`: register, change and delete devices and their keys; enrollments; API tokens; export and erase.
 * - `audit`: read the audit.
 */
export const grants = ['read', 'search', 'fetch', 'manage', 'audit'] as const
/** One of {@link grants}. */
export type Grant = (typeof grants)[number]

/**
 * What an access token of the agent platform may be allowed to do. None implies another, but `admin` includes all.
 *
 * - `read`: list and see agents, runs, conversations, memories, settings without their secrets; follow events.
 * - `run`: start and cancel runs and tasks, write to conversations and memories, send messages to chats.
 * - `approve`: decide about calls that wait for approval, and forget remembered decisions.
 * - `admin`: everything, also to change agents, skills, settings, providers, senders, routes and tokens.
 */
export const tokenScopes = ['read', 'run', 'approve', 'admin'] as const
/** One of {@link tokenScopes}. */
export type TokenScope = (typeof tokenScopes)[number]

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

/** A body of bytes that has one content type and one content encoding. */
export interface EncodedBody {
  readonly type: string
  readonly encoding: string
}

/**
 * A form with files in place of the JSON body, which the handler reads itself, as it arrives: it gets no body then, and no file is
 * held in memory.
 */
export interface FileForm {
  /** Name of the part that holds JSON about all files. It may be absent. */
  readonly body: string
  /** Schema of that JSON. */
  readonly fields: Schema
  /** Name of the parts that hold files. */
  readonly file: string
}

/** A header that changes what an operation does, or describes its response. */
export interface OperationHeader {
  readonly name: string
  readonly description: string
}

/** Where a value stands in a call: `params.id`, `body.agent_id`; in a {@link OperationAudit} also in its reply. */
export type Place = `${'params' | 'query' | 'body' | 'reply'}.${string}`

/** Describes the audit entry of a call. */
export interface OperationAudit {
  /** What is done, such as `agent.updated`. */
  readonly action: string
  /** What it is done to: a text, with places of the call in braces. @default the `id` of the path, if it has one */
  readonly target?: string
  /** The same once it is done, with places of the reply. @default {@link target} */
  readonly targetAfter?: string
  /** Where the device stands that it is about, or a list of devices; one of several is not named. */
  readonly device?: Place
  /** Where the name stands of what it is about. */
  readonly name?: Place
  /** Particulars: the names of all fields of the body, or some fields with their values. No secret is one of them. */
  readonly details?: 'names' | readonly string[]
  /** Whether the change is outside of the store: its entry is written before, and completed after it. */
  readonly isOutside?: true
}

/** Fields of a request that a caller for one user may set only if its token allows them. */
export const allowances = ['metadata', 'messages', 'model_settings', 'budget'] as const
/** One of {@link allowances}. */
export type Allowance = (typeof allowances)[number]

/** Where the fields stand that need an {@link Allowance}. */
export type AllowedPlaces = Readonly<Partial<Record<Allowance, readonly Place[]>>>

/** `everyone`: all users share it, such as agents. `nobody`: it belongs to no user, and a caller for one user gets 403. */
type SharedBy = 'everyone' | 'nobody'

/** What a caller for one user sees of the rows, or of the one object, in a field of a reply. */
export interface ShownFields {
  readonly in: string
  readonly fields: readonly string[]
}

/** Where a call names its agent or its graph, and its user. */
export interface NamedSubject {
  readonly agent?: Place
  readonly graph?: Place
  /** The user of a caller for one user is written here; another one is 403. */
  readonly user: Place | SharedBy
  /** Where the id of a conversation stands, which the caller may choose: it is the user's own, whoever else chose it. */
  readonly conversation?: Place
  readonly allow?: AllowedPlaces
  readonly shown?: ShownFields
}

/**
 * A call about something that has an agent or a graph, and a user, of its own: it is looked up by its id. For a caller for
 * one user, the thing of another user is as unknown as one that does not exist.
 */
export interface FoundSubject {
  readonly found: 'run' | 'task' | 'schedule' | 'conversation' | 'response' | 'file' | 'memory'
  readonly id: Place
  /** `own`: the user that it has. */
  readonly user: 'own' | 'nobody'
}

/** Each row of a reply has an agent or a graph, and a user, in these fields: other rows are left out. */
export interface RowsSubject {
  /** Field of the reply with the rows. */
  readonly rows: string
  /** The reply is one row in place of a list if the call names it here. */
  readonly single?: Pick<FoundSubject, 'found' | 'id'> & { readonly in: string }
  readonly agent?: string
  readonly graph?: string
  /** The field of a row with its user, and where the call filters by users: another one is 403. */
  readonly user: { readonly field: string; readonly filter: Place } | SharedBy
  /** Where the call filters by a conversation. */
  readonly conversation?: Place
  /** Fields of the reply that would tell of other rows. */
  readonly without?: readonly string[]
  readonly shown?: ShownFields
}

/**
 * Which agents and which user a call is about, for callers who are limited to some agents or to one user.
 *
 * - `none`: about no agent and no user. Every caller with the scope may call it.
 * - `shared`: about what agents have in common and no user has, such as skills. A caller for one user may not call it.
 * - `all`: about all of them, or about what they share. Only callers without limits may call it.
 * - `rule`: the server has a rule of its own for it.
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
 * Who may call an operation. Every operation for sessions names the grant that it needs, every operation for local
 * callers the scope of the token and its subject. `any`: at least one of them, because what is called through it needs its
 * own. What administrators and users change is audited.
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

/** An interface: operations by their id. */
export type OperationTable = Readonly<Record<string, Operation>>

type Input<S> = S extends Schema ? z.core.input<S> : undefined
type Output<S> = S extends Schema ? z.core.output<S> : undefined

/** Path parameters that a caller may pass. */
export type ParamsInputOf<O extends Operation> = Input<O['params']>
/** Query parameters that a caller may pass. */
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
export type ReplyOf<O extends Operation> = O['reply'] extends StreamKind
  ? ReadableStream<Uint8Array>
  : Output<O['reply']>
