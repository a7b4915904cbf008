import * as z from 'zod/mini'
import type { Caller } from '../client/create-caller.ts'
import type { Client } from '../client/create-client.ts'
import { JsonObject } from '../json-value.ts'
import type { OperationTable, Schema } from '../operation.ts'

/** Context of one tool call. */
export interface McpContext<Table extends OperationTable> {
  /**
   * Calls the API's own routes in process with the credentials, address and `Host` of the MCP request.
   *
   * Each call passes the same checks as any request, so a tool has the same rights as its caller has over HTTP.
   */
  readonly client: Client<Table>
  /** Calls one operation by its id, and also returns status and headers. */
  readonly call: Caller<Table>
  /** Aborts when the MCP client disconnects or cancels the call. */
  readonly signal: AbortSignal
  /** Whether the client requested progress reports. */
  readonly wantsProgress: boolean
  /** Reports progress to the client. Does nothing if the client did not request it. */
  progress(message: string, done: number, total?: number): Promise<void>
  /** Kinds of questions that the client supports. Empty for clients of protocols before 2026-07-28. */
  readonly canAsk: ReadonlySet<McpQuestion['mode']>
  /** Answers to the {@link McpQuestions} of this call. Undefined in the first call. */
  readonly answered: McpAnswers | undefined
  /** Returns the absolute address of an API path as the caller reaches it, for links. */
  toLink(path: string): string
}

/** Content of a result other than JSON: a picture, or a link to a file. */
export type McpContent =
  | {
      readonly type: 'image'
      /** Base64 data. */
      readonly data: string
      readonly mimeType: string
    }
  | {
      readonly type: 'resource_link'
      /** Absolute address. `readResource` of the endpoint returns its bytes. */
      readonly uri: string
      readonly name: string
      readonly mimeType?: string
      /** Size in bytes. */
      readonly size?: number
    }

/** A question for the client's user: a form, or an address to open. */
export type McpQuestion =
  | {
      readonly mode: 'form'
      readonly message: string
      /** Schema of the form: an object of strings, numbers, booleans and choices. */
      readonly schema: JsonObject
    }
  | { readonly mode: 'url'; readonly message: string; readonly url: string }

/** Questions that a tool asks before it returns a result. The client calls the tool again with the answers. */
export interface McpQuestions {
  readonly questions: Readonly<Record<string, McpQuestion>>
  /** State that the client returns with the answers. The client can read and change it, so validate it. */
  readonly state: string
}

/** Answers of a user to the questions of a tool. */
export interface McpAnswers {
  /** Empty if the client sent none. */
  readonly state: string
  readonly answers: Readonly<Record<string, McpAnswer>>
}

/** Answer of a user. `cancel`: the user closed the question without an answer. */
export const McpAnswer = z.object({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.optional(JsonObject),
})
export type McpAnswer = z.infer<typeof McpAnswer>

/** Result of a tool. */
export interface McpResult {
  /**
   * Value for the client as JSON text, and as structured content if there is no other content. Keep it below {@link
   * maxResultCharacters}.
   */
  readonly value: JsonObject
  /** Additional content. @default no content */
  readonly content?: readonly McpContent[]
  /** Whether the call failed. @default false */
  readonly isError?: boolean
}

/** Hints about a tool's effects, so that clients can ask their user before a call. */
export interface McpToolHints {
  readonly readOnlyHint: boolean
  readonly destructiveHint?: boolean
  readonly idempotentHint?: boolean
  readonly openWorldHint?: boolean
}

interface ToolHead {
  /** Letters, digits, `_` and `-`, at most 64 of them. */
  readonly name: string
  readonly title: string
  readonly description: string
  readonly hints: McpToolHints
}

/** Definition of a tool. */
export interface McpToolDefinition<Table extends OperationTable, Input extends Schema> extends ToolHead {
  /** Schema of the arguments. */
  readonly inputSchema: Input
  /** Runs the tool. @throws any error; a {@link ClientError} becomes a result that describes the problem */
  execute(input: z.output<Input>, context: McpContext<Table>): Promise<McpResult | McpQuestions>
}

/** A tool that the endpoint can call. */
export interface McpTool<Table extends OperationTable> extends ToolHead {
  readonly inputSchema: Schema
  /** Runs the tool with input that `inputSchema` has validated. */
  execute(input: never, context: McpContext<Table>): Promise<McpResult | McpQuestions>
}

/**
 * Maximum number of JSON characters in a result: below 2,000 tokens, also in scripts that need more tokens per
 * character.
 */
export const maxResultCharacters = 5000

/**
 * Defines a tool with checked types: `execute` receives the output of `inputSchema`.
 *
 * @example
 * const tool = defineMcpTool<DeviceCloudOperations>()({ name: 'list_devices', inputSchema: z.object({}), ... })
 */
export const defineMcpTool =
  <Table extends OperationTable>() =>
  <Input extends Schema>(tool: McpToolDefinition<Table, Input>): McpTool<Table> =>
    tool
