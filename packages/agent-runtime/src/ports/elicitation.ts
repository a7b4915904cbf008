import { hash } from 'node:crypto'
import type { JsonObject } from '@homeward/contract/agent-platform'
import type { Question } from './tool.ts'

/** What an MCP server asks a person while it makes a call: `ask` gives an {@link ElicitationAnswer}, and never that nobody answered. */
export interface ElicitationQuestion extends Question<JsonObject> {
  readonly kind: 'elicitation'
  /** Name of the MCP server. */
  readonly server: string
  /** Where the person does what is asked. @default the person fills in a form with the schema */
  readonly url?: string
  /** What the server knows the question by, if it says when it is done. */
  readonly id?: string
  /** Whether the server has rejected the call, so that an answer from before did not do. @default false */
  readonly isUnmet?: boolean
}

/** What a person decided, in the words of MCP. */
export interface ElicitationAnswer {
  /** `cancel`: nobody answered in time. */
  readonly action: 'accept' | 'decline' | 'cancel'
  /** What the form holds. */
  readonly content?: JsonObject
}

/** What the key of a wait ends with whose server says when it is done. */
export const elicitationMark = (server: string, id: string | undefined) =>
  id === undefined ? '' : `:${hash('sha256', JSON.stringify([server, id]))}`
