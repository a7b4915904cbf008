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

/** Placement of a credential in the requests of an HTTP tool. */
export interface HttpToolAuth {
  /** Name of the environment variable, or of the key of the skill's config, with the credential. */
  readonly credential: string
  readonly in: 'header' | 'query'
  /** Name of the header or query parameter. */
  readonly name: string
  /** Prefix of the credential, such as `Bearer`. `Basic` encodes `user:password`. */
  readonly scheme?: string
}

/** A tool that calls the skill's own HTTP service. */
export interface HttpToolDefinition extends AnyToolDefinition {
  readonly type: 'http'
  readonly method: string
  /** Path that starts with `/` or `{{base}}`. Parameters are written `{name}`, `{{name}}` or `:name`. */
  readonly path: string
  /** Whether the definition has no parameters, so that the tool accepts `{query?, body?}`. */
  readonly plain: boolean
  /**
   * Headers. Values may contain `{{base}}`, `{{agent}}` (the id of the calling agent), and names of the skill's
   * environment.
   */
  readonly headers: Readonly<Record<string, string>>
  readonly auth?: HttpToolAuth
  /** Rules that shorten a long list in the response. */
  readonly list?: HttpToolList
  /** Request that checks whether a call took effect. */
  readonly verify?: HttpEffectRequest & {
    /**
     * JSON Schema of the response body for a call that took effect.
     *
     * @default any response with a status of 200 to 299
     */
    readonly when?: JsonObject
  }
  /** Request that undoes a call. */
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

/** A tool that runs a program. */
export interface ExecToolDefinition extends AnyToolDefinition {
  readonly type: 'exec'
  /** Program and its first arguments. Scripts are relative to the skill's folder. */
  readonly command: readonly string[]
  /** Further arguments; `{{name}}` is replaced by a parameter. */
  readonly args: readonly string[]
  readonly stdin: 'json' | 'none'
  /** Names of environment variables that the program receives. */
  readonly env: readonly string[]
  /** Maximum size of the stored output in bytes, both streams together. */
  readonly maxOutputBytes: number
  readonly output: 'text' | 'json'
  /** Hosts that the program contacts. Without any, it has no network. */
  readonly network: readonly string[]
}

/** An entry of a tools.yaml. */
export type ToolDefinition = HttpToolDefinition | ExecToolDefinition
