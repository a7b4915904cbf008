import type { DocumentSource, Json, JsonObject } from '@homeward/contract/agent-platform'
import type { FileReference } from './file.ts'

/** What a provider attached to a part and wants back with it: reasoning ids, signatures. Plain JSON. */
export type ProviderData = { readonly [provider: string]: { readonly [key: string]: Json } }

/** A tool call that the model made. */
export interface ToolCallPart {
  readonly type: 'tool_call'
  readonly id: string
  readonly name: string
  /** Arguments; the text itself when the model wrote no JSON. */
  readonly args: Json
  /** Why the call is not made: a guard did not let it pass, or its arguments were changed on their way. */
  readonly refused?: string
  /** Name of the tool that the model called in place of `name`, which the prompt did not hold. @default it called `name` itself */
  readonly via?: 'call_tool'
  readonly provider_data?: ProviderData
}

/** A call of a tool that the provider ran itself: it goes back to that provider, and is never made here. */
export interface HostedCallPart {
  readonly type: 'hosted_call'
  readonly id: string
  readonly name: string
  readonly args: Json
  readonly provider_data?: ProviderData
}

/** How a {@link HostedCallPart} ended, as the provider says it: it wants exactly that back. */
export interface HostedResultPart {
  readonly type: 'hosted_result'
  readonly id: string
  readonly name: string
  readonly result: Json
  /** Whether the result says why the call failed. @default false */
  readonly failed?: boolean
  readonly provider_data?: ProviderData
}

/** A page that an answer rests on, as the provider named it. For people: it does not go back to the model. */
export interface SourcePart {
  readonly type: 'source'
  /** An http or https address. */
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

/** A piece of an assistant's message. Stored reasoning goes back to the model, never to people. */
export type AssistantPart =
  | { readonly type: 'text'; readonly text: string; readonly provider_data?: ProviderData }
  | { readonly type: 'reasoning'; readonly text: string; readonly provider_data?: ProviderData }
  | ToolCallPart
  | HostedCallPart
  | HostedResultPart
  | SourcePart
  | FilePart
  | RefusedPart

/** How a tool call ended. `result` or `error` is present. */
export interface ToolResult {
  readonly id: string
  readonly name: string
  readonly result?: Json
  /** Files that the result refers to. @default none */
  readonly files?: readonly FileReference[]
  readonly error?: string
  /** Passages of documents that the result rests on. For people: they do not go back to the model. @default none */
  readonly sources?: readonly DocumentSource[]
  /** Whether a person denied the call, or nobody decided about it in time. @default false */
  readonly denied?: true
  /** Arguments that the call was made with, if a person changed those of the model. */
  readonly edited_args?: JsonObject
  /** As in its {@link ToolCallPart}. */
  readonly via?: 'call_tool'
  /** Present for a call that was made and that its tool can undo: its key, and whether its run was tainted then. */
  readonly undo?: { readonly key: string; readonly tainted: boolean }
}

/**
 * A message as it is stored and sent to models. Our own shape, so that a new major of a model library changes no
 * stored conversation.
 */
export type ModelMessage =
  | {
      readonly role: 'user'
      readonly text: string
      /** Files that belong to it; their bytes are in the store. */
      readonly files?: readonly FileReference[]
      /** What asked had read what a stranger may have written, and so has whoever reads on (A20). @default false */
      readonly untrusted?: boolean
      /**
       * Present when the platform wrote it, to say what is wrong with the output before it; why the run was about to stop. Such a
       * message stays in its run.
       */
      readonly corrects?: 'done' | 'max_turns' | 'max_tokens'
      /** Id of the message to the run that it is: storing the one marks the other as delivered. */
      readonly input?: string
    }
  | {
      readonly role: 'assistant'
      readonly parts: readonly AssistantPart[]
      readonly answers?: Answered
      /** Whether a run wrote it elsewhere that had read what a stranger may have written. @default false */
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
