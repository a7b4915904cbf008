import * as z from 'zod/mini'
import type { Caller } from '../client/create-caller.ts'
import type { Client } from '../client/create-client.ts'
import { JsonObject } from '../json-value.ts'
import type { OperationTable, Schema } from '../operation.ts'

/** What a tool has at hand during one call. */
export interface McpContext<Table extends OperationTable> {
  /**
   * Calls the interface's own routes in process, with the credentials, the address and the `Host` of the MCP request. Each call
   * passes the same checks as any request, so a tool can do only what its caller could do over HTTP.
   */
  readonly client: Client<Table>
  /** The same for one operation by its id; gives the status and the headers, too. */
  readonly call: Caller<Table>
  /** Aborts when the MCP client goes away or cancels the call. */
  readonly signal: AbortSignal
  /** Whether the client asked to be told about progress. */
  readonly wantsProgress: boolean
  /** Tells the client how far the call is. Does nothing if the client did not ask. */
  progress(message: string, done: number, total?: number): Promise<void>
  /** Kinds of questions that the client can put to its user. Clients of protocols before 2026-07-28 get none. */
  readonly canAsk: ReadonlySet<McpQuestion['mode']>
  /** What the user answered to the {@link McpQuestions} of this call. Undefined at the first time. */
  readonly answered: McpAnswers | undefined
  /** The absolute address of a path of the interface, as the caller reaches it: for links. */
  toLink(path: string): string
}

/** Content of a result other than JSON: a picture, or a link to a file. */
export type McpContent =
  | {
      readonly type: 'image'
      /** Base64. */
      readonly data: string
      readonly mimeType: string
    }
  | {
      readonly type: 'resource_link'
      /** Absolute address; `readResource` of the endpoint gives the bytes. */
      readonly uri: string
      readonly name: string
      readonly mimeType?: string
      /** In bytes. */
      readonly size?: number
    }

/** A question to the user of the client: a form, or an address to open. */
export type McpQuestion =
  | {
      readonly mode: 'form'
      readonly message: string
      /** An object of texts, numbers, booleans and choices. */
      readonly schema: JsonObject
    }
  | { readonly mode: 'url'; readonly message: string; readonly url: string }

/** What a tool needs to know before it can answer. The client calls the tool again with the answers. */
export interface McpQuestions {
  readonly questions: Readonly<Record<string, McpQuestion>>
  /** Comes back with the answers. The client can read and change it, so check what it names. */
  readonly state: string
}

/** What a user answered to the questions of a tool. */
export interface McpAnswers {
  /** Empty if the client sent none. */
  readonly state: string
  readonly answers: Readonly<Record<string, McpAnswer>>
}

/** `cancel`: the user closed the question without an answer. */
export const McpAnswer = z.object({
  action: z.enum(['accept', 'decline', 'cancel']),
  content: z.optional(JsonObject),
})
export type McpAnswer = z.infer<typeof McpAnswer>

/** What a tool answers. */
export interface McpResult {
  /** Goes to the client as JSON text, and as structured content if it is all. Keep it below {@link maxResultCharacters}. */
  readonly value: JsonObject
  /** Further content. @default none */
  readonly content?: readonly McpContent[]
  /** Whether the call failed. @default false */
  readonly isError?: boolean
}

/** What clients are told about a tool, so that they can ask their user before they call it. */
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

/** A tool as its author writes it. */
export interface McpToolDefinition<Table extends OperationTable, Input extends Schema> extends ToolHead {
  /** Schema of the arguments. */
  readonly inputSchema: Input
  /** @throws anything; a client's error becomes a result that says what went wrong */
  execute(input: z.output<Input>, context: McpContext<Table>): Promise<McpResult | McpQuestions>
}

/** A tool as the endpoint calls it. */
export interface McpTool<Table extends OperationTable> extends ToolHead {
  readonly inputSchema: Schema
  /** `inputSchema` has parsed the input. */
  execute(input: never, context: McpContext<Table>): Promise<McpResult | McpQuestions>
}

/** Most characters of the JSON in an answer: below 2,000 tokens, also in scripts that need many. */
export const maxResultCharacters = 5000

/**
 * Checks the types of a tool: what `execute` gets is what `inputSchema` parses.
 *
 * @example
 * const tool = defineMcpTool<DeviceCloudOperations>()({ name: 'list_devices', inputSchema: z.object({}), ... })
 */
export const defineMcpTool =
  <Table extends OperationTable>() =>
  <Input extends Schema>(tool: McpToolDefinition<Table, Input>): McpTool<Table> =>
    tool
