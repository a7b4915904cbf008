import type { DocumentSource, Json, JsonObject } from '@homeward/contract/agent-platform'
import type { FileReference } from './file.ts'

/** Data that a provider attached to a part and needs back: reasoning ids, signatures. Plain JSON. */
export type ProviderData = { readonly [provider: string]: { readonly [key: string]: Json } }

/** A tool call of the model. */
export interface ToolCallPart {
  readonly type: 'tool_call'
  readonly id: string
  readonly name: string
  /** Arguments; a string if the model wrote no valid JSON. */
  readonly args: Json
  /** Reason why the call is not made: a guard rejected it, or its arguments changed in transit. */
  readonly refused?: string
  /**
   * Name of the tool that the model called instead of `name`, because the prompt did not contain `name`.
   *
   * @default the model called `name` itself
   */
  readonly via?: 'call_tool'
  readonly provider_data?: ProviderData
}

/** A call of a tool that the provider ran. It is sent back to that provider, and never run by the platform. */
export interface HostedCallPart {
  readonly type: 'hosted_call'
  readonly id: string
  readonly name: string
  readonly args: Json
  readonly provider_data?: ProviderData
}

/** Outcome of a {@link HostedCallPart} in the provider's format, which must be sent back unchanged. */
export interface HostedResultPart {
  readonly type: 'hosted_result'
  readonly id: string
  readonly name: string
  readonly result: Json
  /** Whether the result is the reason for a failed call. @default false */
  readonly failed?: boolean
  readonly provider_data?: ProviderData
}

/** A source of the answer, as the provider named it. For people; not sent back to the model. */
export interface SourcePart {
  readonly type: 'source'
  /** Address: http or https. */
  readonly url: string
  readonly title?: string
}

/** A file that the model made. Its bytes are in the store. */
export interface FilePart extends FileReference {
  readonly type: 'file'
  readonly provider_data?: ProviderData
}

/** A part of a conversation that a provider refused. */
export type RefusedContent =
  /** A file, by its id. */
  | { readonly kind: 'file'; readonly id: string }
  /** The text of the message that began the turn. */
  | { readonly kind: 'task' }
  /** The result of a call of the turn, by the call's id. */
  | { readonly kind: 'result'; readonly id: string }
  /** Reasoning of all answers before, and what providers attached to them. */
  | { readonly kind: 'reasoning' }
  /** Everything up to here. */
  | { readonly kind: 'all' }

/**
 * Says what a provider refused of the conversation before it. Later prompts do not hold it. No model gets this part; people
 * read its `note`.
 */
export interface RefusedPart {
  readonly type: 'refused'
  readonly note: string
  readonly what: readonly RefusedContent[]
}

/** A part of an assistant message. Stored reasoning is sent back to the model, never shown to people. */
export type AssistantPart =
  | { readonly type: 'text'; readonly text: string; readonly provider_data?: ProviderData }
  | { readonly type: 'reasoning'; readonly text: string; readonly provider_data?: ProviderData }
  | ToolCallPart
  | HostedCallPart
  | HostedResultPart
  | SourcePart
  | FilePart
  | RefusedPart

/** Outcome of a tool call, with either `result` or `error`. */
export interface ToolResult {
  readonly id: string
  readonly name: string
  readonly result?: Json
  /** Files of the result. @default no files */
  readonly files?: readonly FileReference[]
  readonly error?: string
  /** Passages of documents that the result is based on. For people; not sent back to the model. @default no passages */
  readonly sources?: readonly DocumentSource[]
  /** Whether a person denied the call, or nobody decided in time. @default false */
  readonly denied?: true
  /** Arguments of the call, if a person changed those of the model. */
  readonly edited_args?: JsonObject
  /** As in {@link ToolCallPart}. */
  readonly via?: 'call_tool'
  /** Present for a completed call that the tool can undo: its key, and whether its run was tainted then. */
  readonly undo?: { readonly key: string; readonly tainted: boolean }
  /** Calls of a `run_code` program in their order. Not sent to the model. @default no calls */
  readonly inner?: readonly InnerCall[]
}

/** A call that a program made, and how it ended. */
export interface InnerCall extends ToolResult {
  readonly args: Json
}

/**
 * A message as stored and sent to models. The format is independent of model libraries, so a new major version of one
 * changes no stored conversation.
 */
export type ModelMessage =
  | {
      readonly role: 'user'
      readonly text: string
      /** Files of the message. Their bytes are in the store. */
      readonly files?: readonly FileReference[]
      /**
       * Whether its author had read untrusted content; then every run that reads it counts as tainted.
       *
       * @default false
       */
      readonly untrusted?: boolean
      /**
       * Present if the platform wrote the message to correct the previous output: the problem, or the reason why the
       * run would have stopped. Such a message is not part of the conversation.
       */
      readonly corrects?: 'done' | 'max_turns' | 'max_tokens'
      /** Id of the delivered run message. Storing this message marks that one as delivered. */
      readonly input?: string
    }
  | {
      readonly role: 'assistant'
      readonly parts: readonly AssistantPart[]
      readonly answers?: Answered
      /** Whether another run wrote it after it had read untrusted content. @default false */
      readonly untrusted?: boolean
    }
  | { readonly role: 'tool'; readonly results: readonly ToolResult[]; readonly answers?: Answered }

/** What the turn of a run answers. The last message of the turn has it, in a conversation only. */
interface Answered {
  /** Id of the message. */
  readonly question: string
  /** Whether the turn takes the place of those that answered it before. @default false */
  readonly anew?: boolean
}
