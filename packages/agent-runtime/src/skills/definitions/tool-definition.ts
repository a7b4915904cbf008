import type { JsonObject } from '@homeward/contract/agent-platform'
import type { ToolEffects } from '../../ports/tool.ts'

/** What every tool of a tools.yaml says. */
interface AnyToolDefinition {
  readonly id: string
  readonly description: string
  /** JSON Schema of the arguments: an object. Properties of HTTP tools carry `in`. */
  readonly inputSchema: JsonObject
  readonly timeoutMs: number
  readonly effects: ToolEffects
  readonly idempotent: boolean
}

/** Where an HTTP tool puts a credential. */
export interface HttpToolAuth {
  /** Name of the environment variable, or of the key of the skill's config, that holds it. */
  readonly credential: string
  readonly in: 'header' | 'query'
  /** Of the header or the query parameter. */
  readonly name: string
  /** Word before the credential, such as `Bearer`. `Basic` encodes `user:password`. */
  readonly scheme?: string
}

/** A tool that calls the skill's own HTTP service (A17). */
export interface HttpToolDefinition extends AnyToolDefinition {
  readonly type: 'http'
  readonly method: string
  /** Begins with `/` or `{{base}}`; places of parameters are written `{name}`, `{{name}}` or `:name`. */
  readonly path: string
  /** Whether it named no parameters and takes `{query?, body?}`. */
  readonly plain: boolean
  /** Values may hold `{{base}}`, `{{agent}}`, which is the id of the agent that calls, and names of the skill's environment. */
  readonly headers: Readonly<Record<string, string>>
  readonly auth?: HttpToolAuth
  /** How a long list that it answers is made short. */
  readonly list?: HttpToolList
  /** How to find out whether a call took effect. */
  readonly verify?: HttpEffectRequest & {
    /** JSON Schema of the response's body if the call took effect. @default any response with a status of 200 to 299 */
    readonly when?: JsonObject
  }
  /** How to take a call back. */
  readonly undo?: HttpEffectRequest
}

/** Another request about a call of an HTTP tool. */
export interface HttpEffectRequest {
  readonly method: string
  /** As the tool's own; its places are arguments, `idempotency_key` and, for `undo`, parts of the result. */
  readonly path: string
}

/** Says which part of a tool's answer is a list of rows, and what a model needs of it. */
interface HttpToolList {
  /** Key of the rows in the answer; empty when the answer is the list. */
  readonly rows: string
  /** Fields that are shown of a row; none: all of them. */
  readonly fields: readonly string[]
  /** Fields whose values are counted. */
  readonly countBy: readonly string[]
}

/** A tool that runs a program (A16). */
export interface ExecToolDefinition extends AnyToolDefinition {
  readonly type: 'exec'
  /** Program and its first arguments; scripts are relative to the skill's folder. */
  readonly command: readonly string[]
  /** Further arguments; `{{name}}` stands for a parameter. */
  readonly args: readonly string[]
  readonly stdin: 'json' | 'none'
  /** Names of environment variables that it is given. */
  readonly env: readonly string[]
  /** Largest output that is kept, both streams together. */
  readonly maxOutputBytes: number
  readonly output: 'text' | 'json'
  /** Hosts it says it talks to; without any it has no network. */
  readonly network: readonly string[]
}

/** An entry of a tools.yaml. */
export type ToolDefinition = HttpToolDefinition | ExecToolDefinition
